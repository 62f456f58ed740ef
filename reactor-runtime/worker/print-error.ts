import { print } from './channel.ts';
import { ownDataOf } from './hostile-member.ts';
import { HAS_NO_FETCH, writeText } from './natives.ts';
import { byteLength, slice, Uint8ArrayClass } from './primordials.ts';
import { classOf } from './thrown-place.ts';

/** Limits what is printed of an error and its cause, in characters. */
const PRINTED_MAX = 10_000;

const bounded = (text: unknown): string | undefined =>
  typeof text === 'string' ? slice(text, 0, PRINTED_MAX) : undefined;

/** A stack, which begins with class and message, or a thrown string. */
const textOf = (thrown: unknown): string | undefined =>
  bounded(thrown) ?? bounded(ownDataOf(thrown, 'stack'));

function describe(thrown: unknown): string {
  const name = bounded(classOf(thrown)) ?? '';
  const message = bounded(ownDataOf(thrown, 'message'));
  return message === undefined ? name : `${name}: ${message}`;
}

/** V8 says so in Node.js 16; elsewhere only if the code itself has removed `fetch`. */
const NO_FETCH = 'fetch is not defined';
const FETCH_ADVICE = '\nNode.js 16 has no fetch: require node-fetch or axios instead.';

/**
 * Prints an error and its cause. It runs before the response, since the process is killed after it,
 * and must not change the response: it reads neither getters nor proxies.
 */
export function printError(thrown: unknown): void {
  try {
    // No objects: `inspect` runs the author's code, and listing many members takes seconds.
    const cause = textOf(ownDataOf(thrown, 'cause'));
    const advice = HAS_NO_FETCH && ownDataOf(thrown, 'message') === NO_FETCH ? FETCH_ADVICE : '';
    const what = `${textOf(thrown) ?? describe(thrown)}${advice}`;
    const text = `${what}${cause === undefined ? '' : `\nCaused by: ${cause}`}\n`;
    const length = byteLength(text);
    const bytes = new Uint8ArrayClass(length);
    writeText(bytes, text, length);
    print(bytes);
  } catch {
    // The code has created an error that cannot be printed.
  }
}
