import { isAscii, isUtf8 } from 'node:buffer';

/** Decodes UTF-8; `undefined` for bytes that are not UTF-8. */
export function utf8Text(bytes: Buffer): string | undefined {
  // ASCII is the same in Latin-1, which Node copies instead of decoding.
  if (isAscii(bytes)) return bytes.toString('latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** Whether a text ends with the first half of a surrogate pair. */
function endsInHalf(text: string): boolean {
  return (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;
}

/** Bytes, or texts that are sent one after the other in UTF-8. No pair of surrogates is torn. */
export type BodyBytes = Buffer | readonly string[];

/** A text of fewer UTF-16 code units is sent at once: each piece costs a call. */
const LARGE = 64 * 1024;
const PIECES_MAX = 16;

/** Leaves a few large texts as they are, which saves a copy of a body. */
export function utf8Body(texts: readonly string[]): BodyBytes {
  const isLarge = texts.reduce((length, text) => length + text.length, 0) >= LARGE;
  return isLarge && texts.length <= PIECES_MAX && !texts.some(endsInHalf) ? texts : utf8Bytes(texts);
}

export const bytesOfBody = (body: BodyBytes): Buffer => (Buffer.isBuffer(body) ? body : utf8Bytes(body));

/**
 * Joins texts and encodes them in UTF-8. Joining them as text first would cost more than writing
 * them.
 */
export function utf8Bytes(texts: readonly string[]): Buffer {
  // The next text may start with the second half of the pair, so join them first.
  if (texts.some(endsInHalf)) return Buffer.from(texts.join(''));
  const bytes = Buffer.allocUnsafe(texts.reduce((length, text) => length + Buffer.byteLength(text), 0));
  let at = 0;
  for (const text of texts) at += bytes.write(text, at);
  // Returns only the bytes that were written: the rest of the buffer may contain other data.
  return bytes.subarray(0, at);
}
