/**
 * Whether a text is a UUID in lower case; what is none is the id of nothing that we name, and might
 * not even fit a key.
 */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
