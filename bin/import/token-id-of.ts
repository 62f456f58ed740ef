import { createHash } from 'node:crypto';

/** RFC 9562, section 6.6. */
const DNS_NAMESPACE = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

/** A UUID of a name in a namespace (RFC 9562, section 5.5). */
function uuidOfName(namespace: string, name: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name, 'utf8')
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const NAMESPACE = uuidOfName(DNS_NAMESPACE, 'cloakroom.token-id');

/**
 * The id that the token of an old id gets. The length of the source is part of the name, so that no
 * two pairs of source and id share one.
 */
export const tokenIdOf = (source: string, id: string): string =>
  uuidOfName(NAMESPACE, `${String(Buffer.byteLength(source))}:${source}:${id}`);

/** The id of the token with the details of an old id, which its card cannot have. */
export const detailsIdOf = (source: string, id: string): string => tokenIdOf(source, `${id}/details`);
