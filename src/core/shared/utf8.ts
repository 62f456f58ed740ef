import { isAscii, isUtf8 } from 'node:buffer';

/** The text that bytes are in UTF-8; `undefined` if they are none. */
export function utf8Text(bytes: Buffer): string | undefined {
  // What is ASCII is the same text in Latin-1, which is copied instead of decoded.
  if (isAscii(bytes)) return bytes.toString('latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** Whether a text ends with the first half of a character beyond U+FFFF. */
function endsInHalf(text: string): boolean {
  return (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;
}

/**
 * Several texts, one after the other, in UTF-8; without a text of the whole in between, which costs
 * more than the writing.
 */
export function utf8Bytes(texts: readonly string[]): Buffer {
  // The other half may be what the next text begins with: only together they are the character.
  if (texts.some(endsInHalf)) return Buffer.from(texts.join(''));
  const bytes = Buffer.allocUnsafe(texts.reduce((length, text) => length + Buffer.byteLength(text), 0));
  let at = 0;
  for (const text of texts) at += bytes.write(text, at);
  // Nothing that was not written may ever leave: it would be memory of something else.
  return bytes.subarray(0, at);
}
