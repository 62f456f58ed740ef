import { isPlainObject } from './json-text.ts';

/**
 * Headers of the connection with the service: `fetch` rejects most, a browser drops them, and the
 * service forwards none.
 */
const OF_THE_CONNECTION: readonly string[] = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * A valid header value. The error does not quote it: the errors of `fetch` show the whole value,
 * which may be a key. Throws `TypeError`.
 */
export function headerText(name: string, value: string, maxLength: number): string {
  if (typeof value === 'string' && /^[\x21-\x7e]+( +[\x21-\x7e]+)*$/.test(value) && value.length <= maxLength)
    return value;
  throw new TypeError(`${name} must be 1 to ${String(maxLength)} visible ASCII characters`);
}

/**
 * A value that every transport sends unchanged (RFC 9110, 5.5). Throws `TypeError` that contains
 * only its name.
 */
export function headerValue(name: string, value: string): string {
  if (typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return value;
  throw new TypeError(`${name} must be text of Latin-1 without control characters`);
}

/**
 * Headers of the caller. Throws `TypeError` for a `Headers` or a Map, which has no members, and one
 * that names a header, unless the name itself is invalid.
 */
export function checkedHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (!isPlainObject(headers)) throw new TypeError('headers must be a plain object');
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      throw new TypeError('The name of a header must be letters, digits and -');
    if (OF_THE_CONNECTION.includes(name.toLowerCase()))
      throw new TypeError(`The header ${name} belongs to the connection with the service`);
    headerValue(`The header ${name}`, value);
  }
  return headers;
}

/** Names in lower case; of two equal names the later wins, where `fetch` would send both. */
export function mergedHeaders(
  ...layers: readonly Readonly<Record<string, string>>[]
): Record<string, string> {
  const entries = layers.flatMap((layer) => Object.entries(layer));
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}
