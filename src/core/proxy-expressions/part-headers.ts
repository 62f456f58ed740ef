/** Encodings in which the bytes of a part are its content (RFC 2045, section 6.2). */
const PLAIN_ENCODINGS: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary']);

/**
 * The values of a header of a part, including continuation lines. A repeated header has several.
 */
function valuesOf(headers: string, name: string): readonly string[] {
  const lines = headers.matchAll(new RegExp(`^${name}[ \\t]*:((?:[^\\r\\n]|\\r?\\n[ \\t])*)`, 'gim'));
  return [...lines].map(([, value = '']) => value.replace(/\s+/g, ' ').trim());
}

/**
 * Whether a part is a file, which is sent unchanged: it has a file name (RFC 7578, section 4.2).
 */
export function isFile(headers: string): boolean {
  return /^content-disposition:(?:[^"\r\n]|"[^"\r\n]*")*;\s*filename\*?\s*=/im.test(headers);
}

/**
 * The `Content-Type` of a part. Several are joined by a comma, like those of a request. `undefined`
 * if there is none.
 */
export function contentTypeOf(headers: string): string | undefined {
  const types = valuesOf(headers, 'content-type');
  return types.length === 0 ? undefined : types.join(', ');
}

/**
 * Whether the bytes of a part are its content. In other encodings, a value like `=22` or `IiI=`
 * means other characters.
 */
export function hasPlainEncoding(headers: string): boolean {
  const encodings = valuesOf(headers, 'content-transfer-encoding');
  return encodings.every((encoding) => PLAIN_ENCODINGS.has(encoding.toLowerCase()));
}
