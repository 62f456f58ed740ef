import { FRAME_HEADER_BYTES } from '../worker-settings.ts';
import { binding, methodOf, type Binding } from './bindings.ts';
import { readInto, writeFrom, writeText } from './natives.ts';
import { apply, exit, lengthOf, Uint8ArrayClass, utf8Slice } from './primordials.ts';

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const byteLengthUtf8 = methodOf(binding('buffer') as Binding, 'byteLengthUtf8');

// The worker counts bytes itself: the length of an array is a getter that code may have replaced.

/** The code has closed the descriptor: no message can be sent any more. */
const moved = (count: number | undefined): number => count ?? exit(1);

function readBytes(length: number): Uint8Array {
  const bytes = new Uint8ArrayClass(length);
  for (let at = 0; at < length;) {
    const count = moved(readInto(STDIN, bytes, at, length - at));
    // The loop has ended.
    if (count === 0) exit(0);
    at += count;
  }
  return bytes;
}

/**
 * Waits for the next frame of the loop. No other JavaScript of this process runs in the meantime.
 */
export function receive(): string {
  const header = readBytes(FRAME_HEADER_BYTES);
  let length = 0;
  for (let at = 0; at < FRAME_HEADER_BYTES; at += 1) length = length * 256 + (header[at] ?? 0);
  const bytes = readBytes(length);
  const text = apply(utf8Slice, bytes, [0, length]) as string;
  // Freed memory reappears in an unfilled Buffer.
  for (let at = 0; at < length; at += 1) bytes[at] = 0;
  return text;
}

/** Sends the loop a message without line breaks. */
export function say(message: string): void {
  const line = `${message}\n`;
  const length = apply(byteLengthUtf8, undefined, [line]) as number;
  const bytes = new Uint8ArrayClass(length);
  writeText(bytes, line, length);
  for (let at = 0; at < length;) at += moved(writeFrom(STDOUT, bytes, at, length - at));
}

/** Prints to standard error immediately: the process is killed after its response. */
export function print(bytes: Uint8Array): void {
  const length = lengthOf(bytes);
  for (let at = 0; at < length;) {
    const count = writeFrom(STDERR, bytes, at, length - at);
    // There is no reader.
    if (count === undefined) return;
    at += count;
  }
}
