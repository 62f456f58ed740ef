import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import type { Vault } from '../crypto/vault.ts';
import { newestFirst, pageResources } from '../lists/page-resources.ts';
import type { Page, PageRequest } from '../lists/pagination.ts';
import { namePattern } from '../lists/name-pattern.ts';
import type { Clock } from '../shared/clock.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { ProxyStore } from './proxy-store.ts';
import { openProxy, openVersion } from './open-proxy.ts';
import type { Proxy, ProxyVersion, StoredProxy } from './stored-proxy.ts';

export interface GetProxyDeps {
  readonly proxyStore: ProxyStore;
  readonly vault: Vault;
  readonly clock: Clock;
}

/** Finds a proxy of a tenant. Throws `not_found`. */
export async function existingProxy(
  { proxyStore }: Pick<GetProxyDeps, 'proxyStore'>,
  tenantId: string,
  id: string,
): Promise<StoredProxy> {
  const proxy = await proxyStore.find(tenantId, id);
  if (proxy === undefined) throw new ServiceError('not_found', 'The proxy does not exist.');
  return proxy;
}

export async function getProxy(deps: GetProxyDeps, caller: Caller, id: string): Promise<Proxy> {
  requirePermission(caller, 'proxy:read');
  return openProxy(deps.vault, await existingProxy(deps, caller.tenantId, id));
}

/** Filters of a list; empty ones filter nothing. */
export interface ProxyFilters {
  readonly ids: readonly string[];
  /** Case-insensitive; `*` matches any characters. Without `*`, the name must contain the text. */
  readonly name?: string;
}

/** Opens the proxies of each batch, since a filter compares their names. */
async function* opened(
  { vault }: GetProxyDeps,
  batches: AsyncIterable<readonly StoredProxy[]>,
): AsyncGenerator<readonly (Proxy & { readonly id: string })[]> {
  for await (const batch of batches)
    yield await Promise.all(
      batch.map(async (stored) => ({ ...(await openProxy(vault, stored)), id: stored.id })),
    );
}

/** Lists the tenant's proxies, newest first. */
export async function listProxies(
  deps: GetProxyDeps & { readonly tenantKeys: TenantKeys },
  caller: Caller,
  { ids, name }: ProxyFilters,
  request: PageRequest,
): Promise<Page<Proxy>> {
  requirePermission(caller, 'proxy:read');
  const { tenantId } = caller;
  const matches = name === undefined ? () => true : namePattern(name);
  const wanted = {
    list: 'proxies',
    filters: JSON.stringify([ids, name ?? null]),
    isVisible: ({ definition }: Proxy) => matches(definition.name),
    from: (after: string | undefined) =>
      opened(
        deps,
        ids.length === 0
          ? deps.proxyStore.list(tenantId, after)
          : newestFirst(deps.proxyStore.findMany(tenantId, ids), after),
      ),
  };
  return pageResources(deps.tenantKeys, caller, wanted, request);
}

/** Lists the last versions of a proxy, newest first. */
export async function listProxyVersions(
  deps: GetProxyDeps,
  caller: Caller,
  id: string,
): Promise<readonly ProxyVersion[]> {
  requirePermission(caller, 'proxy:read');
  const proxy = await existingProxy(deps, caller.tenantId, id);
  const versions = await deps.proxyStore.versions(proxy);
  return Promise.all(versions.map((version) => openVersion(deps.vault, proxy, version)));
}
