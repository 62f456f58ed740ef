import { FRAME_HEADER_BYTES } from '../worker-settings.ts';
import { binding, methodOf, type Binding } from './bindings.ts';
import {
  apply,
  createObject,
  exit,
  lengthOf,
  Uint8ArrayClass,
  utf8Slice,
  utf8Write,
  type Method,
} from './primordials.ts';

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
/** Pipes have no positions, so each read and write continues where the last one ended. */
const WHERE_IT_IS = -1;
// Natives, from before any guard: reactor code can replace members that Node's `fs` and `Buffer`
// look up (`length`, `utf8Write`), to run between the worker's messages and its input.
const files = binding('fs') as Binding;
const buffers = binding('buffer') as Binding;
const read = methodOf(files, 'read');
const write = methodOf(files, 'writeBuffer');
const byteLengthUtf8 = methodOf(buffers, 'byteLengthUtf8');

/**
 * The number of bytes; `undefined` if the descriptor transfers none. The worker counts them itself:
 * the array's length is a getter that code may have replaced.
 */
function tryToMove(
  native: Method,
  descriptor: number,
  bytes: Uint8Array,
  at: number,
  length: number,
): number | undefined {
  const context = createObject(null) as { errno?: number };
  const count = apply(native, undefined, [
    descriptor,
    bytes,
    at,
    length,
    WHERE_IT_IS,
    undefined,
    context,
  ]) as number;
  return context.errno === undefined ? count : undefined;
}

function move(native: Method, descriptor: number, bytes: Uint8Array, at: number, length: number): number {
  // The code has closed the descriptor: no message can be sent any more.
  return tryToMove(native, descriptor, bytes, at, length) ?? exit(1);
}

function readBytes(length: number): Uint8Array {
  const bytes = new Uint8ArrayClass(length);
  for (let at = 0; at < length;) {
    const count = move(read, STDIN, bytes, at, length - at);
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
  apply(utf8Write, bytes, [line, 0, length]);
  for (let at = 0; at < length;) at += move(write, STDOUT, bytes, at, length - at);
}

/** Prints to standard error immediately: the process is killed after its response. */
export function print(bytes: Uint8Array): void {
  const length = lengthOf(bytes);
  for (let at = 0; at < length;) {
    const count = tryToMove(write, STDERR, bytes, at, length - at);
    // There is no reader.
    if (count === undefined) return;
    at += count;
  }
}
