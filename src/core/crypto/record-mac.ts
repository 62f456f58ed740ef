import { createHmac, timingSafeEqual } from 'node:crypto';
import { contextBytes, RecordCorruptedError, type DataKey, type RecordContext } from './record-encryption.ts';

/*
 * The MAC of the fields that a record has in clear (docs/security.md has a test vector). It begins
 * with the first version of the root in two bytes, big-endian. HMAC-SHA-256 (RFC 2104) of these
 * bytes and the context follows.
 */

const HEADER_BYTES = 2;
const MAC_BYTES = HEADER_BYTES + 32;

/** The MAC of a context, under a key that is used for nothing but MACs. */
export function macOf({ version, key }: DataKey, context: RecordContext): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(version);
  return Buffer.concat([header, createHmac('sha256', key).update(contextBytes(header, context)).digest()]);
}

/**
 * The version that a MAC names. Throws {@link RecordCorruptedError} for bytes that are not a MAC.
 */
export function macVersion(mac: Buffer): number {
  if (mac.length !== MAC_BYTES) throw new RecordCorruptedError('no MAC');
  return mac.readUInt16BE();
}

/** Throws {@link RecordCorruptedError} if the MAC is not that of the context. */
export function checkMac(key: DataKey, context: RecordContext, mac: Buffer): void {
  const expected = macOf(key, context);
  if (macVersion(mac) !== key.version || !timingSafeEqual(expected, mac))
    throw new RecordCorruptedError('authentication failed');
}
