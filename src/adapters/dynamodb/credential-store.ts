import type { ApplicationGrantsStore } from '../../core/applications/application-store.ts';
import type { CredentialStore } from '../../core/access/credential-store.ts';
import { readGrantsItem } from './application-item.ts';
import { batchGet, getItem } from './batch-get.ts';
import { credentialKey, grantsKey, someCopy } from './keys.ts';
import type { Table } from './table-client.ts';

/**
 * Reads API keys and the grants of their applications from the Access table. There are several
 * equal copies, which change together.
 */
export function createCredentialStore(table: Table): CredentialStore & ApplicationGrantsStore {
  return {
    async findByKeyHash(hash) {
      const item = await getItem(table, credentialKey(hash, someCopy(table.platform.random)));
      if (item === undefined) return undefined;
      const { id, keyHash, expiresAtMs, ...grants } = readGrantsItem(item);
      return {
        keyHash,
        caller: { ...grants, credentialId: id, applicationId: id, actsBy: 'own_key', keyHash },
        ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
      };
    },

    async grants(tenantId, ids) {
      const keys = [...new Set(ids)].map((id) => grantsKey(tenantId, id, someCopy(table.platform.random)));
      return (await batchGet(table, keys)).map(readGrantsItem);
    },
  };
}
