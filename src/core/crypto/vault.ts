import type { Json } from '../shared/json.ts';
import type { MembersAllowance } from '../shared/json-extent.ts';
import { parseJson } from '../shared/parse-json.ts';
import { Secret } from '../shared/secret.ts';
import { checkMac, macOf, macVersion } from './record-mac.ts';
import { dataKeyVersion, openRecord, sealRecord, type RecordContext } from './record-seal.ts';
import type { TenantKeys } from './tenant-keys.ts';

/**
 * Seals and opens JSON values under a tenant's data keys: the only way for plaintext into and out
 * of a store. It also authenticates what a store has in clear.
 */
export interface Vault {
  /** Sealed bytes for one field of one record, under the tenant's current data key. */
  seal(context: RecordContext, value: Secret<Json>): Promise<Buffer>;
  /**
   * Rejects with `RecordCorruptedError` if the field was changed or moved; with `JsonExtentError`,
   * before it builds any value, if it has more members than `allowance` has left.
   */
  open(context: RecordContext, sealed: Buffer, allowance?: MembersAllowance): Promise<Secret<Json>>;
  /** The MAC of what a record has in clear. */
  mac(context: RecordContext): Promise<Buffer>;
  /** Rejects with `RecordCorruptedError` if the MAC is not that of the context. */
  verify(context: RecordContext, mac: Buffer): Promise<void>;
}

export function createVault(keys: TenantKeys): Vault {
  return {
    async seal(context, value) {
      const dataKey = await keys.current(context.tenantId, 'data');
      return sealRecord(dataKey, context, Buffer.from(JSON.stringify(value.reveal())));
    },
    async open(context, sealed, allowance) {
      const dataKey = await keys.version(context.tenantId, 'data', dataKeyVersion(sealed));
      const json = openRecord(dataKey, context, sealed).toString('utf8');
      allowance?.take(json);
      return new Secret(parseJson(json));
    },

    mac: async (context) => macOf(await keys.current(context.tenantId, 'head'), context),

    async verify(context, mac) {
      checkMac(await keys.version(context.tenantId, 'head', macVersion(mac)), context, mac);
    },
  };
}
