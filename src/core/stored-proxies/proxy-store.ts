import type { KeyName } from '../access/credential-store.ts';
import type { Effect, PortEffects } from '../audit/effect.ts';
import { changedKeys } from '../applications/changed-keys.ts';
import type { ExternalIds } from '../shared/external-id.ts';
import type { ListedProxy, StoredProxy, StoredVersion } from './stored-proxy.ts';

/** Where stored proxies are. Rejects with `dependency_unavailable` when the store is down. */
export interface ProxyStore extends ExternalIds {
  /**
   * Writes a new proxy with its first version; `false` if its id or its external id is in use, or
   * if the tenant has as many proxies as it may have.
   */
  create(proxy: StoredProxy, first: StoredVersion): Promise<boolean>;
  /** The newest state of a proxy; `undefined` if the tenant has none with this id. */
  find(tenantId: string, id: string): Promise<StoredProxy | undefined>;
  /** Finds the proxies that exist among these ids, in any order. */
  findMany(tenantId: string, ids: readonly string[]): Promise<readonly StoredProxy[]>;
  /** Reads the proxies of a tenant for a list, newest first, that come after an id. */
  listed(tenantId: string, after: string | undefined): AsyncIterable<readonly ListedProxy[]>;
  /** The same of the proxies that exist among these ids, in any order. */
  findListed(tenantId: string, ids: readonly string[]): Promise<readonly ListedProxy[]>;
  /** All proxies of a tenant in batches, newest first, that come after an id. */
  list(tenantId: string, after: string | undefined): AsyncIterable<readonly StoredProxy[]>;
  /**
   * Replaces `previous`, and writes versions with it; `false` if it has changed since, or
   * if another proxy has the external id. Versions
   * that `next` neither keeps nor has among its last ones are deleted. Keys that `next` does not
   * have are rejected afterwards, and remembered for 30 days.
   */
  update(previous: StoredProxy, next: StoredProxy, versions: readonly StoredVersion[]): Promise<boolean>;
  /**
   * Deletes this state of a proxy, with its versions; `false` if it has changed since. Its keys are
   * remembered for 30 days.
   */
  delete(proxy: StoredProxy): Promise<boolean>;
  /** Reads the last versions of a proxy and the retained ones, newest first. */
  versions(proxy: Pick<StoredProxy, 'tenantId' | 'id'>): Promise<readonly StoredVersion[]>;
  /** The deleted key with this hash, while it is remembered. */
  retiredKey(hash: Buffer): Promise<Required<Omit<KeyName, 'applicationId'>> | undefined>;
  /** Counts the deleted keys of a proxy that are remembered. */
  countRetiredKeys(proxy: Pick<StoredProxy, 'tenantId' | 'id'>): Promise<number>;
  /** The days on which the keys of a proxy were last used, by the ids of the keys. */
  lastUses(proxy: Pick<StoredProxy, 'keys'>): Promise<ReadonlyMap<string, string>>;
}

/** An effect that a request has on a proxy, with the keys that it changes. */
function proxyEffect({ id }: Pick<StoredProxy, 'id'>, keys: readonly string[] = []): Effect {
  return { resource: `proxy:${id}`, ...(keys.length > 0 && { change: { members: keys } }) };
}

const NO_KEYS = { keys: [] };

export const PROXY_STORE_EFFECTS: PortEffects<ProxyStore> = {
  // The code that knows the changed members reports them (change-proxy.ts).
  create: (proxy) => proxyEffect(proxy),
  update: (previous, next) => proxyEffect(next, changedKeys(previous, next)),
  delete: (proxy) => proxyEffect(proxy, changedKeys(proxy, NO_KEYS)),
  find: 'none',
  findMany: 'none',
  findNamed: 'none',
  listed: 'none',
  findListed: 'none',
  list: 'none',
  versions: 'none',
  retiredKey: 'none',
  countRetiredKeys: 'none',
  lastUses: 'none',
};
