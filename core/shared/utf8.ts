import { isAscii, isUtf8 } from 'node:buffer';

const encoder = new TextEncoder();

/** The text that bytes are in UTF-8; `undefined` if they are none. */
export function utf8Text(bytes: Buffer): string | undefined {
  // What is ASCII is the same text in Latin-1, which is copied instead of decoded.
  if (isAscii(bytes)) return bytes.toString('latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** Several texts, one after the other, if all of them are ASCII: written in their places, without a text of the whole in between. */
function asciiBytes(texts: readonly string[]): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(texts.reduce((length, text) => length + text.length, 0));
  let at = 0;
  for (const text of texts) {
    // Anything else than ASCII takes more bytes than it has characters, or does not fit.
    const { read, written } = encoder.encodeInto(text, bytes.subarray(at));
    if (read !== text.length || written !== text.length) return undefined;
    at += written;
  }
  return bytes;
}

/** Several texts, one after the other, in UTF-8. */
export function utf8Bytes(texts: readonly string[]): Buffer {
  // Joined first: a character beyond U+FFFF may begin in one text and end in the next.
  return asciiBytes(texts) ?? Buffer.from(texts.join(''));
}
