import { print } from './channel.ts';
import { ownDataOf } from './hostile-member.ts';
import { apply, byteLength, slice, Uint8ArrayClass, utf8Write } from './primordials.ts';
import { classOf } from './thrown-place.ts';

/** Of an error, and of its cause, in characters. */
const PRINTED_MAX = 10_000;

const bounded = (text: unknown): string | undefined =>
  typeof text === 'string' ? slice(text, 0, PRINTED_MAX) : undefined;

/** A stack, which begins with class and message, or a text that was thrown. */
const textOf = (thrown: unknown): string | undefined =>
  bounded(thrown) ?? bounded(ownDataOf(thrown, 'stack'));

function describe(thrown: unknown): string {
  const name = bounded(classOf(thrown)) ?? '';
  const message = bounded(ownDataOf(thrown, 'message'));
  return message === undefined ? name : `${name}: ${message}`;
}

/**
 * Prints an error and its cause, with message and stack, to where the console prints; of what has
 * no stack, class and message. It comes before the answer, since the process is killed once it has
 * answered, and must not change the answer. So it reads neither getters nor proxies, and does not
 * show objects: listing the members of a large one takes seconds, and `inspect` runs code of the
 * author's.
 */
export function printError(thrown: unknown): void {
  try {
    const cause = textOf(ownDataOf(thrown, 'cause'));
    const text = `${textOf(thrown) ?? describe(thrown)}${cause === undefined ? '' : `\nCaused by: ${cause}`}\n`;
    const length = byteLength(text);
    const bytes = new Uint8ArrayClass(length);
    apply(utf8Write, bytes, [text, 0, length]);
    print(bytes);
  } catch {
    // The code has made an error that cannot be shown.
  }
}
