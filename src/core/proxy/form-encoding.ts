/** Percent-encoding of a form (WHATWG URL, application/x-www-form-urlencoded): spaces as `+`. */
export function encodeFormValue(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/**
 * The text of an encoded value; `undefined` if its encoding is invalid, and then it is not changed.
 */
export function decodeFormValue(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
