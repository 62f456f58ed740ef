/**
 * Whether a text is a UUID in lower case. Any other text is not an id from this service, and may
 * not even fit into a key.
 */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
