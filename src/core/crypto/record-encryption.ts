import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Random } from '../shared/platform.ts';

/*
 * The encrypted record, format 1 (docs/security.md has test vectors):
 *
 *   offset  length  field
 *   0       1       format version, 0x01
 *   1       2       version of the tenant's data key, unsigned, big-endian
 *   3       16      salt, random
 *   19      12      nonce, random
 *   31      n       ciphertext, AES-256-GCM (NIST SP 800-38D)
 *   31 + n  16      tag
 *
 * The record key is HKDF-Expand with SHA-256 (RFC 5869, section 2.3) of the tenant's data key. Its
 * info is the text below and the salt. So no two records share a key, and no key is used with two
 * nonces. The data key is a key already, so there is nothing to extract (section 3.3).
 */

const FORMAT = 1;
const SALT_AT = 3;
const NONCE_AT = 19;
const TEXT_AT = 31;
const TAG_BYTES = 16;
const KEY_INFO = Buffer.from('cloakroom record key v1');
/** Numbers the only block of output, which is as long as the key: 32 bytes. */
const FIRST_BLOCK = Buffer.from([1]);

/** Number of bytes that encryption adds to the plaintext. */
export const ENCRYPTION_OVERHEAD_BYTES = TEXT_AT + TAG_BYTES;

/**
 * The additional data of a record. It opens only as the same field of the same record of the same
 * tenant.
 */
export interface RecordContext {
  readonly tenantId: string;
  readonly recordId: string;
  readonly field: string;
  /**
   * Further properties of the record that decide who may see the field. A field always has the same
   * number of fixed parts before a list.
   */
  readonly bound?: readonly string[];
}

/** A tenant's data key: 32 bytes and the version that is written into each record. */
export interface DataKey {
  readonly version: number;
  readonly key: KeyObject;
}

/**
 * Explains why a record does not open. The message reveals nothing about the key or the content.
 */
export class RecordCorruptedError extends Error {
  constructor(reason: string) {
    super(`encrypted record: ${reason}`);
    this.name = 'RecordCorruptedError';
  }
}

/**
 * Derives the key of a record. All keys are `KeyObject`s: Node needs several times as long for keys
 * in bytes, since it has to detect their type.
 */
function recordKey(dataKey: KeyObject, salt: Buffer): KeyObject {
  const hmac = createHmac('sha256', dataKey).update(KEY_INFO).update(salt).update(FIRST_BLOCK);
  return createSecretKey(hmac.digest());
}

const LENGTH_BYTES = 4;

/**
 * The header, and each part of the context after its length (unsigned, big-endian), so that no two
 * contexts have the same bytes.
 */
export function contextBytes(
  header: Buffer,
  { tenantId, recordId, field, bound = [] }: RecordContext,
): Buffer {
  const parts = [tenantId, recordId, field, ...bound];
  const size = parts.reduce((sum, part) => sum + LENGTH_BYTES + Buffer.byteLength(part), header.length);
  const data = Buffer.allocUnsafe(size);
  let at = header.copy(data);
  for (const part of parts) {
    const length = data.write(part, at + LENGTH_BYTES);
    at = data.writeUInt32BE(length, at) + length;
  }
  return data;
}

/**
 * Encrypts `plaintext` for its context, with a new salt and nonce each time. Equal plaintexts
 * become different records.
 */
export function encryptRecord(
  random: Random,
  dataKey: DataKey,
  context: RecordContext,
  plaintext: Buffer,
): Buffer {
  const record = Buffer.allocUnsafe(TEXT_AT + plaintext.length + TAG_BYTES);
  record.writeUInt8(FORMAT, 0);
  record.writeUInt16BE(dataKey.version, 1);
  random.fill(record, SALT_AT, TEXT_AT - SALT_AT);
  const key = recordKey(dataKey.key, record.subarray(SALT_AT, NONCE_AT));
  const cipher = createCipheriv('aes-256-gcm', key, record.subarray(NONCE_AT, TEXT_AT));
  cipher.setAAD(contextBytes(record.subarray(0, SALT_AT), context));
  cipher.update(plaintext).copy(record, TEXT_AT);
  cipher.final();
  cipher.getAuthTag().copy(record, TEXT_AT + plaintext.length);
  return record;
}

/**
 * The version of the data key that encrypted a record. Throws {@link RecordCorruptedError} for
 * bytes that are not a record.
 */
export function dataKeyVersion(record: Buffer): number {
  if (record.length < ENCRYPTION_OVERHEAD_BYTES) throw new RecordCorruptedError('too short');
  if (record.readUInt8(0) !== FORMAT) throw new RecordCorruptedError('unknown format version');
  return record.readUInt16BE(1);
}

/**
 * Opens a record under the data key of its version. Throws {@link RecordCorruptedError} if any bit
 * of the record was changed, or if it was encrypted for another context.
 */
export function decryptRecord(dataKey: DataKey, context: RecordContext, record: Buffer): Buffer {
  if (dataKeyVersion(record) !== dataKey.version)
    throw new RecordCorruptedError('encrypted under another key version');
  const key = recordKey(dataKey.key, record.subarray(SALT_AT, NONCE_AT));
  const decipher = createDecipheriv('aes-256-gcm', key, record.subarray(NONCE_AT, TEXT_AT), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(contextBytes(record.subarray(0, SALT_AT), context));
  decipher.setAuthTag(record.subarray(record.length - TAG_BYTES));
  const plaintext = decipher.update(record.subarray(TEXT_AT, record.length - TAG_BYTES));
  try {
    decipher.final();
  } catch {
    throw new RecordCorruptedError('authentication failed');
  }
  return plaintext;
}
