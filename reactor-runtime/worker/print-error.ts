import { print } from './channel.ts';
import { memberOf } from './hostile-member.ts';
import { apply, byteLength, inspect, slice, Uint8ArrayClass, utf8Write } from './primordials.ts';

/** Of a printed error, in characters. */
const PRINTED_MAX = 20_000;

function shownOf(thrown: unknown): string {
  const stack = memberOf(thrown, 'stack');
  return typeof stack === 'string' ? stack : inspect(thrown, { depth: 1 });
}

/**
 * Prints what was thrown and its cause, with message and stack, to where the console prints.
 * Nothing of it is in the answer. It may run code of the author's, and shows no more of an object
 * than takes a moment.
 */
export function printError(thrown: unknown): void {
  try {
    const cause = memberOf(thrown, 'cause');
    const shown = shownOf(thrown) + (cause === undefined ? '' : `\nCaused by: ${shownOf(cause)}`);
    const text = `${slice(shown, 0, PRINTED_MAX)}\n`;
    const length = byteLength(text);
    const bytes = new Uint8ArrayClass(length);
    apply(utf8Write, bytes, [text, 0, length]);
    print(bytes);
  } catch {
    // The code has made an error that cannot be shown.
  }
}
