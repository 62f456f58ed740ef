import type { Json } from '../shared/json.ts';
import type { MembersAllowance } from '../shared/json-extent.ts';
import { parseJson } from '../shared/parse-json.ts';
import { Secret } from '../shared/secret.ts';
import { dataKeyVersion, openRecord, sealRecord, type RecordContext } from './record-seal.ts';
import type { TenantKeys } from './tenant-keys.ts';

/**
 * Seals and opens JSON values under a tenant's data keys: the only way for plaintext into and out
 * of a store.
 */
export interface Vault {
  /** Sealed bytes for one field of one record, under the tenant's current data key. */
  seal(context: RecordContext, value: Secret<Json>): Promise<Buffer>;
  /**
   * Rejects with `RecordCorruptedError` if the field was changed or moved; with `JsonExtentError`,
   * before it builds any value, if it has more members than `allowance` has left.
   */
  open(context: RecordContext, sealed: Buffer, allowance?: MembersAllowance): Promise<Secret<Json>>;
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
  };
}
