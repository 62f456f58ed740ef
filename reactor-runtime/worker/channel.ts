import { readSync, writeSync } from 'node:fs';
import { FRAME_HEADER_BYTES } from '../worker-settings.ts';
import { allocate, apply, bytesOf, exit, fill, readUInt32, utf8Slice } from './primordials.ts';

const [STDIN, STDOUT] = [0, 1] as const;
// Before anything is guarded or changed.
const [read, write] = [readSync, writeSync];

function readBytes(length: number): Buffer {
  const bytes = allocate(length);
  for (let at = 0; at < length;) {
    const count = read(STDIN, bytes, at, length - at, null);
    // The loop has ended.
    if (count === 0) exit(0);
    at += count;
  }
  return bytes;
}

/** Waits for what the loop sends next. Nothing else of this process's JavaScript runs meanwhile. */
export function receive(): string {
  const bytes = readBytes(readUInt32(readBytes(FRAME_HEADER_BYTES)));
  const text = apply(utf8Slice, bytes, []) as string;
  // Memory that is given back is found again in a Buffer that is not filled.
  fill(bytes, 0);
  return text;
}

/** Tells the loop a message, which has no line breaks. */
export function say(message: string): void {
  const bytes = bytesOf(`${message}\n`);
  for (let at = 0; at < bytes.length;) at += write(STDOUT, bytes, at);
}
