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

const [STDIN, STDOUT, STDERR] = [0, 1, 2] as const;
/** The position of a descriptor that has none. */
const WHERE_IT_IS = -1;
// Natives, before anything is guarded: Node's own `fs` and `Buffer` look up members (`byteLength`,
// `length`, `errno`, `utf8Write`) that reactor code can replace, which would then run between what
// the worker says and what it hears.
const [files, buffers] = [binding('fs') as Binding, binding('buffer') as Binding];
const [read, write] = [methodOf(files, 'read'), methodOf(files, 'writeBuffer')];
const byteLengthUtf8 = methodOf(buffers, 'byteLengthUtf8');

/**
 * How many bytes were moved; `undefined` if the descriptor takes or gives none. The lengths are our
 * own numbers: those of the array are getters that may be replaced.
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
  // The code has closed the descriptor: nobody can be told anything any more.
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

/** Waits for what the loop sends next. Nothing else of this process's JavaScript runs meanwhile. */
export function receive(): string {
  const header = readBytes(FRAME_HEADER_BYTES);
  let length = 0;
  for (let at = 0; at < FRAME_HEADER_BYTES; at += 1) length = length * 256 + (header[at] ?? 0);
  const bytes = readBytes(length);
  const text = apply(utf8Slice, bytes, [0, length]) as string;
  // Memory that is given back is found again in a Buffer that is not filled.
  for (let at = 0; at < length; at += 1) bytes[at] = 0;
  return text;
}

/** Tells the loop a message, which has no line breaks. */
export function say(message: string): void {
  const line = `${message}\n`;
  const length = apply(byteLengthUtf8, undefined, [line]) as number;
  const bytes = new Uint8ArrayClass(length);
  apply(utf8Write, bytes, [line, 0, length]);
  for (let at = 0; at < length;) at += move(write, STDOUT, bytes, at, length - at);
}

/** Prints to standard error, at once: the process is killed when its answer has come. */
export function print(bytes: Uint8Array): void {
  const length = lengthOf(bytes);
  for (let at = 0; at < length;) {
    const count = tryToMove(write, STDERR, bytes, at, length - at);
    // Nobody reads it: there is nothing to print to.
    if (count === undefined) return;
    at += count;
  }
}
