import { createCipheriv, createDecipheriv } from 'node:crypto';
import { AwsError } from '../aws-service.ts';

/**
 * In bytes: format 1, length of the key id 1, key id, material version 4 (big-endian), nonce 12,
 * ciphertext, tag 16. All before the nonce is authenticated with the encryption context.
 */
const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export type EncryptionContext = Readonly<Record<string, string>>;

export interface OpenedEnvelope {
  readonly keyId: string;
  readonly version: number;
  readonly header: Buffer;
  readonly nonce: Buffer;
  readonly encrypted: Buffer;
  readonly tag: Buffer;
}

function invalid(): AwsError {
  return new AwsError('InvalidCiphertextException', 400, '');
}

/** Pairs sorted by key: the order in which a caller wrote the context does not matter. */
function canonical(context: EncryptionContext): string {
  return JSON.stringify(Object.entries(context).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function additionalData(header: Buffer, context: EncryptionContext): Buffer {
  return Buffer.concat([header, Buffer.from(canonical(context))]);
}

/** Returns so many random bytes. */
export type RandomBytes = (count: number) => Buffer;

/** Encrypts `plaintext` with AES-256-GCM under the 32 bytes of `material`. */
export function encryptBytes(
  keyId: string,
  version: number,
  material: Buffer,
  plaintext: Buffer,
  context: EncryptionContext,
  random: RandomBytes,
): Buffer {
  const id = Buffer.from(keyId);
  const header = Buffer.alloc(6 + id.length);
  header.writeUInt8(FORMAT, 0);
  header.writeUInt8(id.length, 1);
  id.copy(header, 2);
  header.writeUInt32BE(version, 2 + id.length);
  const nonce = random(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', material, nonce).setAAD(additionalData(header, context));
  return Buffer.concat([header, nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Reads the key of a blob. Throws InvalidCiphertextException for any other input. */
export function openEnvelope(blob: Buffer): OpenedEnvelope {
  if (blob.length < 2 || blob.readUInt8(0) !== FORMAT) throw invalid();
  const headerBytes = 6 + blob.readUInt8(1);
  if (blob.length < headerBytes + NONCE_BYTES + TAG_BYTES) throw invalid();
  return {
    keyId: blob.toString('utf8', 2, headerBytes - 4),
    version: blob.readUInt32BE(headerBytes - 4),
    header: blob.subarray(0, headerBytes),
    nonce: blob.subarray(headerBytes, headerBytes + NONCE_BYTES),
    encrypted: blob.subarray(headerBytes + NONCE_BYTES, blob.length - TAG_BYTES),
    tag: blob.subarray(blob.length - TAG_BYTES),
  };
}

/** Decrypts a blob. Throws InvalidCiphertextException if the blob or the context is another one. */
export function decryptEnvelope(
  envelope: OpenedEnvelope,
  material: Buffer,
  context: EncryptionContext,
): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', material, envelope.nonce, { authTagLength: TAG_BYTES })
    .setAAD(additionalData(envelope.header, context))
    .setAuthTag(envelope.tag);
  try {
    return Buffer.concat([decipher.update(envelope.encrypted), decipher.final()]);
  } catch {
    throw invalid();
  }
}
