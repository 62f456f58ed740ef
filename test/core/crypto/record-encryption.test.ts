import { createSecretKey, randomBytes, webcrypto } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { deriveKey } from '../../../src/core/crypto/derive-key.ts';
import {
  dataKeyVersion,
  decryptRecord,
  RecordCorruptedError,
  ENCRYPTION_OVERHEAD_BYTES,
  encryptRecord,
} from '../../../src/core/crypto/record-encryption.ts';
import { fc } from '../../../packages/test-kit/src/properties.ts';
import { KEY_VECTORS, RECORD_VECTORS } from './record-vectors.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const dataKey = { version: 7, key: createSecretKey(randomBytes(32)) };
const context = { tenantId: 'tenant', recordId: 'record', field: 'data' };

/**
 * The keys of docs/security.md, derived independently with WebCrypto: no line is shared with the
 * product.
 */
async function deriveIndependently(root: Uint8Array, info: string): Promise<Uint8Array> {
  const material = await webcrypto.subtle.importKey('raw', root, 'HKDF', false, ['deriveBits']);
  const hkdf = {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: new TextEncoder().encode(`cloakroom tenant key v1 ${info}`),
  };
  return new Uint8Array(await webcrypto.subtle.deriveBits(hkdf, material, 256));
}

/** The format of docs/security.md, implemented independently. */
async function openIndependently(
  key: Uint8Array,
  where: readonly string[],
  record: Uint8Array,
): Promise<string> {
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const material = await webcrypto.subtle.importKey('raw', key, hmac, false, ['sign']);
  const text = new TextEncoder().encode('cloakroom record key v1');
  const info = new Uint8Array([...text, ...record.slice(3, 19), 1]);
  const recordKey = await webcrypto.subtle.sign('HMAC', material, info);
  const aesKey = await webcrypto.subtle.importKey('raw', recordKey, 'AES-GCM', false, ['decrypt']);
  const parts = where.flatMap((text) => {
    const bytes = new TextEncoder().encode(text);
    return [new Uint8Array([0, 0, bytes.length >> 8, bytes.length & 255]), bytes];
  });
  const additionalData = new Uint8Array(Buffer.concat([record.slice(0, 3), ...parts]));
  const algorithm = { name: 'AES-GCM', iv: record.slice(19, 31), additionalData, tagLength: 128 };
  return new TextDecoder().decode(await webcrypto.subtle.decrypt(algorithm, aesKey, record.slice(31)));
}

describe('an encrypted record', () => {
  it('opens to any plaintext that was encrypted', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 2_000 }),
        fc.string(),
        fc.string(),
        (plaintext, recordId, field) => {
          const where = { tenantId: 't', recordId, field };
          const record = encryptRecord(machinePlatform.random, dataKey, where, Buffer.from(plaintext));
          expect(record).toHaveLength(plaintext.length + ENCRYPTION_OVERHEAD_BYTES);
          expect(decryptRecord(dataKey, where, record)).toEqual(Buffer.from(plaintext));
        },
      ),
    );
  });

  it('does not open when any single bit has changed', () => {
    const record = encryptRecord(machinePlatform.random, dataKey, context, Buffer.from('4242424242424242'));
    for (let bit = 0; bit < record.length * 8; bit += 1) {
      const changed = Buffer.from(record);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => decryptRecord(dataKey, context, changed)).toThrow(RecordCorruptedError);
    }
  });

  it('does not open when it was truncated', () => {
    const record = encryptRecord(machinePlatform.random, dataKey, context, Buffer.from('x'));
    for (let length = 0; length < record.length; length += 1) {
      expect(() => decryptRecord(dataKey, context, record.subarray(0, length))).toThrow(RecordCorruptedError);
    }
  });

  it('opens only in its own context', () => {
    const record = encryptRecord(machinePlatform.random, dataKey, context, Buffer.from('x'));
    for (const elsewhere of [{ tenantId: 'other' }, { recordId: 'other' }, { field: 'other' }]) {
      expect(() => decryptRecord(dataKey, { ...context, ...elsewhere }, record)).toThrow(
        RecordCorruptedError,
      );
    }
    // The parts are bound one by one: an equal concatenation is not enough.
    const moved = { tenantId: 'tenantr', recordId: 'ecord', field: 'data' };
    expect(() => decryptRecord(dataKey, moved, record)).toThrow(RecordCorruptedError);
  });

  it('does not open under another key or version', () => {
    const record = encryptRecord(machinePlatform.random, dataKey, context, Buffer.from('x'));
    expect(dataKeyVersion(record)).toBe(7);
    expect(() =>
      decryptRecord({ version: 7, key: createSecretKey(randomBytes(32)) }, context, record),
    ).toThrow(RecordCorruptedError);
    expect(() => decryptRecord({ ...dataKey, version: 8 }, context, record)).toThrow(RecordCorruptedError);
  });

  it('differs each time, salt and nonce included', () => {
    const records = Array.from({ length: 200 }, () =>
      encryptRecord(machinePlatform.random, dataKey, context, Buffer.from('same')),
    );
    expect(new Set(records.map((record) => record.subarray(3, 19).toString('hex'))).size).toBe(200);
    expect(new Set(records.map((record) => record.subarray(19, 31).toString('hex'))).size).toBe(200);
  });

  it('opens in an independent implementation of the documented format', async () => {
    const where = { tenantId: 'tenant', recordId: 'récord 😀', field: 'data' };
    const record = encryptRecord(machinePlatform.random, dataKey, where, Buffer.from('naïve 4242'));
    await expect(openIndependently(dataKey.key.export(), Object.values(where), record)).resolves.toBe(
      'naïve 4242',
    );
  });

  it.each(RECORD_VECTORS)('has the test vector $name, from the root on', async (vector) => {
    const { root, version, tenantId, recordId, field, bound, plaintext } = vector;
    const record = Buffer.from(vector.record, 'hex');
    const where = { tenantId, recordId, field, bound };
    const key = deriveKey(createSecretKey(Buffer.from(root, 'hex')), 'data', version);
    expect([dataKeyVersion(record), key.export().toString('hex')]).toEqual([version, vector.key]);
    expect(decryptRecord({ version, key }, where, record).toString('utf8')).toBe(plaintext);
    const derived = await deriveIndependently(Buffer.from(root, 'hex'), `data ${String(version)}`);
    const parts = [tenantId, recordId, field, ...bound];
    await expect(openIndependently(derived, parts, record)).resolves.toBe(plaintext);
  });

  it.each(KEY_VECTORS)('has the test vector of the key for $purpose', async ({ purpose, key }) => {
    const root = Buffer.from(RECORD_VECTORS[0].root, 'hex');
    expect(deriveKey(createSecretKey(root), purpose, 1).export().toString('hex')).toBe(key);
    expect(deriveKey(createSecretKey(root), purpose, 9).export().toString('hex')).toBe(key);
    expect(Buffer.from(await deriveIndependently(root, purpose)).toString('hex')).toBe(key);
  });

  it('has its test vectors in docs/security.md', () => {
    const page = readFileSync('docs/security.md', 'utf8');
    const lines = [
      ...RECORD_VECTORS.flatMap(({ root, key, record }) => [
        `root       ${root}`,
        `key        ${key}`,
        `record     ${record}`,
      ]),
      ...KEY_VECTORS.map(({ purpose, key }) => `${purpose.padEnd(12)} ${key}`),
    ];
    expect(lines.filter((line) => !page.includes(line))).toEqual([]);
  });
});
