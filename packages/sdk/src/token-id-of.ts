import { webCrypto } from './platform.ts';

/** The UUID version 5 of the name `cloakroom.token-id` in the namespace of DNS (RFC 9562). */
const NAMESPACE = '7d113831-3e81-543a-bd64-392009c06647';

const UUID_BYTES = 16;

const bytesOf = (uuid: string): readonly number[] =>
  (uuid.replaceAll('-', '').match(/../g) ?? []).map((digits) => Number.parseInt(digits, 16));

function uuidOf(bytes: Uint8Array): string {
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * The id of the token that `cloakroom import` makes of an old id: a UUID version 5 (RFC 9562). It
 * is the same everywhere, so that a database can be rewritten without a list of pairs.
 * @param source - the name of the import: `stripe`, `braintree`, or its `--source`
 * @example const id = await tokenIdOf('stripe', 'card_1MvoiELkdIwHu7ixOeFGbN9D');
 */
export async function tokenIdOf(source: string, oldId: string): Promise<string> {
  const encoder = new TextEncoder();
  const length = String(encoder.encode(source).length);
  const name = encoder.encode(`${length}:${source}:${oldId}`);
  const subtle = await webCrypto();
  const hash = await subtle.digest('SHA-1', Uint8Array.from([...bytesOf(NAMESPACE), ...name]));
  const bytes = new Uint8Array(hash, 0, UUID_BYTES);
  bytes.set([((bytes[6] ?? 0) & 0x0f) | 0x50], 6);
  bytes.set([((bytes[8] ?? 0) & 0x3f) | 0x80], 8);
  return uuidOf(bytes);
}
