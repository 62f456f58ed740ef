import type { Json } from '../shared/json.ts';
import type { MembersAllowance } from '../shared/json-extent.ts';
import { parseJson } from '../shared/parse-json.ts';
import type { Random } from '../shared/platform.ts';
import { Secret } from '../shared/secret.ts';
import { checkMac, macOf, macVersion } from './record-mac.ts';
import { dataKeyVersion, decryptRecord, encryptRecord, type RecordContext } from './record-encryption.ts';
import type { TenantKeys } from './tenant-keys.ts';

/**
 * Encrypts and decrypts JSON values and bytes under a tenant's data keys. Plaintext gets into and
 * out of a store only through it. It also authenticates the fields that a store has in clear.
 */
export interface Vault {
  /** Encrypts a value for one field of one record, under the tenant's current data key. */
  encrypt(context: RecordContext, value: Secret<Json>): Promise<Buffer>;
  /**
   * Rejects with `RecordCorruptedError` if the field was changed or moved. Rejects with
   * `JsonExtentError`, before it builds any value, if the field has more members than `allowance`
   * has left.
   */
  decrypt(context: RecordContext, encrypted: Buffer, allowance?: MembersAllowance): Promise<Secret<Json>>;
  /** Encrypts bytes in the same way. */
  encryptBytes(context: RecordContext, bytes: Secret<Buffer>): Promise<Buffer>;
  /** Rejects with `RecordCorruptedError` if the field was changed or moved. */
  decryptBytes(context: RecordContext, encrypted: Buffer): Promise<Secret<Buffer>>;
  /** Makes the MAC of the fields that a record has in clear. */
  mac(context: RecordContext): Promise<Buffer>;
  /** Rejects with `RecordCorruptedError` if the MAC is not that of the context. */
  verify(context: RecordContext, mac: Buffer): Promise<void>;
}

export function createVault(keys: TenantKeys, random: Random): Vault {
  async function sealed(context: RecordContext, bytes: Buffer): Promise<Buffer> {
    const dataKey = await keys.current(context.tenantId, 'data');
    return encryptRecord(random, dataKey, context, bytes);
  }

  async function opened(context: RecordContext, encrypted: Buffer): Promise<Buffer> {
    const dataKey = await keys.version(context.tenantId, 'data', dataKeyVersion(encrypted));
    return decryptRecord(dataKey, context, encrypted);
  }

  return {
    encrypt: (context, value) => sealed(context, Buffer.from(JSON.stringify(value.reveal()))),
    async decrypt(context, encrypted, allowance) {
      const json = (await opened(context, encrypted)).toString('utf8');
      allowance?.take(json);
      return new Secret(parseJson(json));
    },
    encryptBytes: (context, bytes) => sealed(context, bytes.reveal()),
    decryptBytes: async (context, encrypted) => new Secret(await opened(context, encrypted)),

    mac: async (context) => macOf(await keys.current(context.tenantId, 'clear'), context),

    async verify(context, mac) {
      checkMac(await keys.version(context.tenantId, 'clear', macVersion(mac)), context, mac);
    },
  };
}
