import { createSecretKey, randomBytes, webcrypto } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { deriveKey } from '../../../src/core/crypto/derive-key.ts';
import { checkMac, macOf, macVersion } from '../../../src/core/crypto/record-mac.ts';
import { RecordCorruptedError } from '../../../src/core/crypto/record-encryption.ts';
import { MAC_VECTOR, RECORD_VECTORS } from './record-vectors.ts';

const key = { version: 7, key: createSecretKey(randomBytes(32)) };
const context = { tenantId: 'tenant', recordId: 'record', field: 'clear', bound: ['a', 'b'] };

/** The format of docs/security.md, implemented independently with WebCrypto. */
async function macIndependently(key: Uint8Array, version: number, parts: readonly string[]): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const material = await webcrypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
  const header = new Uint8Array([version >> 8, version & 255]);
  const texts = parts.flatMap((text) => {
    const bytes = new TextEncoder().encode(text);
    return [new Uint8Array([0, 0, bytes.length >> 8, bytes.length & 255]), bytes];
  });
  const signed = await webcrypto.subtle.sign('HMAC', material, Buffer.concat([header, ...texts]));
  return Buffer.concat([header, new Uint8Array(signed)]).toString('hex');
}

describe('the MAC of a record', () => {
  it('is that of its own context, key and version alone', () => {
    const mac = macOf(key, context);
    expect(macVersion(mac)).toBe(7);
    checkMac(key, context, mac);
    const wrong = [
      () => checkMac(key, { ...context, recordId: 'other' }, mac),
      () => checkMac(key, { ...context, bound: ['ab', ''] }, mac),
      () => checkMac({ ...key, version: 8 }, context, mac),
      () => checkMac({ ...key, key: createSecretKey(randomBytes(32)) }, context, mac),
    ];
    for (const each of wrong) expect(each).toThrow(RecordCorruptedError);
  });

  it('is no other one of any single bit or length', () => {
    const mac = macOf(key, context);
    for (let bit = 0; bit < mac.length * 8; bit += 1) {
      const changed = Buffer.from(mac);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => checkMac(key, context, changed)).toThrow(RecordCorruptedError);
    }
    for (const other of [Buffer.alloc(0), mac.subarray(1), Buffer.concat([mac, Buffer.alloc(1)])])
      expect(() => checkMac(key, context, other)).toThrow(RecordCorruptedError);
  });

  it('has the test vector of docs/security.md', async () => {
    const { root, tenantId, recordId, version } = RECORD_VECTORS[0];
    const derived = deriveKey(createSecretKey(Buffer.from(root, 'hex')), 'clear', version);
    const { field, bound, mac } = MAC_VECTOR;
    expect(macOf({ version, key: derived }, { tenantId, recordId, field, bound }).toString('hex')).toBe(mac);
    const parts = [tenantId, recordId, field, ...bound];
    expect(await macIndependently(derived.export(), version, parts)).toBe(mac);
    expect(readFileSync('docs/security.md', 'utf8')).toContain(`mac        ${mac}`);
  });
});
