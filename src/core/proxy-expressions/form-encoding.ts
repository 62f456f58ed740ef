/**
 * Percent-encodes as a form does (WHATWG URL, application/x-www-form-urlencoded): a space is `+`.
 */
export function encodeFormValue(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** Decodes a value; `undefined` if its encoding is invalid. Such a value is sent unchanged. */
export function decodeFormValue(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
