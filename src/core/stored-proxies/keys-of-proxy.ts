import type { Caller } from '../access/caller.ts';
import type { OwnedKeys } from '../applications/manage-keys.ts';
import { generateProxyKey } from '../crypto/api-key.ts';
import type { Platform } from '../shared/platform.ts';
import { ServiceError } from '../shared/service-error.ts';
import { existingProxy, type GetProxyDeps } from './get-proxy.ts';
import { STORED_PROXY_LIMITS, type StoredProxy } from './stored-proxy.ts';

/** Finds the keys of a proxy of the caller's tenant. */
export function keysOfProxy(
  deps: GetProxyDeps & Platform,
  caller: Caller,
  id: string,
): OwnedKeys<StoredProxy> {
  const find = () => existingProxy(deps, caller.tenantId, id);
  return {
    caller,
    toRead: 'proxy:review',
    toChange: 'proxy:update',
    find,
    findToChange: find,
    update: (previous, next, checkLast) => {
      checkLast?.();
      return deps.proxyStore.update(previous, next, []);
    },
    async checkRoom(proxy) {
      if ((await deps.proxyStore.countRetiredKeys(proxy)) < STORED_PROXY_LIMITS.retiredKeys) return;
      throw new ServiceError(
        'conflict',
        `A proxy remembers ${String(STORED_PROXY_LIMITS.retiredKeys)} deleted keys, each for 30 days: create a key when one is forgotten, or another proxy.`,
      );
    },
    lastUses: (proxy) => deps.proxyStore.lastUses(proxy),
    generate: ({ tenantId }) => generateProxyKey(deps.random, tenantId, id),
    most: STORED_PROXY_LIMITS.keys,
    owner: 'A proxy',
  };
}
