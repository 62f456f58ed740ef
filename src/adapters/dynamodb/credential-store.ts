import type { ApplicationGrants, ApplicationGrantsStore } from '../../core/applications/application-store.ts';
import type { CredentialStore } from '../../core/access/credential-store.ts';
import { defined } from '../../core/shared/defined.ts';
import {
  readCredentialItem,
  readGrantsItem,
  readRetiredKey,
  type StoredCredential,
} from './application-item.ts';
import { batchGet, getItem } from './batch-get.ts';
import { credentialKey, grantsKey, retiredKey, someCopy } from './keys.ts';
import type { Table } from './table-client.ts';

/** Most keys that an instance remembers whose rights are not in their copies. */
const APART_MAX = 1_000;

/**
 * Reads API keys and the grants of applications from the Access table. There are several equal
 * copies, which change together.
 *
 * Large rights are not in the copies of a key. An instance remembers where those of a key are that
 * it has found, and then reads both in one call. It never remembers the rights.
 */
export function createCredentialStore(table: Table): CredentialStore & ApplicationGrantsStore {
  const apart = new Map<string, Pick<StoredCredential, 'tenantId' | 'applicationId'>>();
  const copy = () => someCopy(table.platform.random);

  const hasEnded = ({ expiresAtMs = Infinity }: StoredCredential) => expiresAtMs <= table.platform.clock();

  async function grantsOf({ tenantId, applicationId }: Pick<StoredCredential, 'tenantId' | 'applicationId'>) {
    const item = await getItem(table, grantsKey(tenantId, applicationId, copy()));
    return item && readGrantsItem(item);
  }

  function remember(name: string, place: Pick<StoredCredential, 'tenantId' | 'applicationId'>): void {
    const [oldest] = apart.has(name) || apart.size < APART_MAX ? [] : apart.keys();
    if (oldest !== undefined) apart.delete(oldest);
    apart.set(name, place);
  }

  /** The item of a key, and its application's rights if they are known to be elsewhere. */
  async function read(hash: Buffer) {
    const name = hash.toString('base64url');
    const place = apart.get(name);
    // Both reads start in one turn of the event loop, so that they are one call.
    const [item, early] = await Promise.all([
      getItem(table, credentialKey(hash, copy())),
      place && grantsOf(place),
    ]);
    const stored = item && readCredentialItem(item);
    if (stored === undefined || stored.isRetired || stored.rights !== undefined || hasEnded(stored))
      apart.delete(name);
    else remember(name, stored);
    return { stored, early };
  }

  /** The rights by which a key that was found acts; `undefined` if it is deleted meanwhile. */
  async function rightsOf(stored: StoredCredential, early: ApplicationGrants | undefined) {
    if (stored.rights !== undefined) return stored.rights;
    const found = early?.id === stored.applicationId ? early : await grantsOf(stored);
    return found?.keys.some(({ id }) => id === stored.keyId) === true ? found : undefined;
  }

  return {
    async findByKeyHash(hash) {
      const { stored, early } = await read(hash);
      if (stored === undefined) return undefined;
      const { keyHash, isRetired, tenantId, applicationId, keyId, expiresAtMs, sourceAddresses } = stored;
      if (isRetired) return { keyHash, retired: { tenantId, applicationId, keyId } };
      const key = defined({ tenantId, applicationId, keyId, expiresAtMs, sourceAddresses });
      // It is rejected, so it lets the service read nothing more.
      if (hasEnded(stored)) return { keyHash, ended: key };
      const rights = await rightsOf(stored, early);
      if (rights === undefined) return undefined;
      const { type, permissions, rules, expiresAtMs: endsAtMs } = rights;
      const acting = { credentialId: applicationId, applicationId, actsBy: 'own_key' as const, keyId };
      return defined({
        keyHash,
        caller: { tenantId, type, permissions, rules, ...acting },
        key,
        expiresAtMs: endsAtMs,
      });
    },

    async grants(tenantId, ids) {
      const keys = [...new Set(ids)].map((id) => grantsKey(tenantId, id, copy()));
      return (await batchGet(table, keys)).map(readGrantsItem);
    },

    async deletedKeys(tenantId, keyIds) {
      const keys = [...new Set(keyIds)].map((id) => retiredKey(tenantId, id));
      return (await batchGet(table, keys)).map(readRetiredKey);
    },
  };
}
