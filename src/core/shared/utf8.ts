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
