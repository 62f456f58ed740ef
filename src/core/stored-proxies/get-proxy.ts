import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import type { Vault } from '../crypto/vault.ts';
import { pageResources, type ResourceSource } from '../lists/page-resources.ts';
import type { Page, PageRequest } from '../lists/pagination.ts';
import { namePattern } from '../lists/name-pattern.ts';
import { idsAskedFor } from '../shared/external-id.ts';
import type { Clock } from '../shared/clock.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { ProxyStore } from './proxy-store.ts';
import { openName, openProxy, openVersion } from './open-proxy.ts';
import type { ListedProxy, Proxy, ProxyVersion, StoredProxy } from './stored-proxy.ts';

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
  requirePermission(caller, 'proxy:review');
  return openProxy(deps.vault, await existingProxy(deps, caller.tenantId, id));
}

/** Filters of a list; empty ones filter nothing. */
export interface ProxyFilters {
  readonly ids: readonly string[];
  readonly externalIds?: readonly string[];
  /** Case-insensitive; `*` matches any characters. Without `*`, the name must contain the text. */
  readonly name?: string;
}

/** Opens the names of a batch, which a filter compares. */
const withNames = async ({ vault }: GetProxyDeps, batch: readonly ListedProxy[]) =>
  Promise.all(batch.map(async (listed) => ({ ...listed, name: await openName(vault, listed) })));

/**
 * Most bytes of definitions on a page. They are escaped in the response of a function, which at
 * most doubles them.
 */
const PAGE_BYTES = 2_900_000;

/**
 * Lists the tenant's proxies, newest first, or those under `ids` in their order. Only the proxies
 * of the page are read and opened: their number and their names come from small items beside them.
 */
export async function listProxies(
  deps: GetProxyDeps & { readonly tenantKeys: TenantKeys },
  caller: Caller,
  { ids: asked, externalIds = [], name }: ProxyFilters,
  request: PageRequest,
): Promise<Page<Proxy>> {
  requirePermission(caller, 'proxy:review');
  const { tenantId } = caller;
  const list = 'proxies';
  const filters = JSON.stringify([asked, name ?? null, ...(externalIds.length > 0 ? [externalIds] : [])]);
  const ids = await idsAskedFor(deps.proxyStore, tenantId, { ids: asked, externalIds });
  const source = {
    ids,
    findMany: async (wantedIds: readonly string[]) => deps.proxyStore.findListed(tenantId, wantedIds),
    newestFirst: (after: string | undefined) => deps.proxyStore.listed(tenantId, after),
  };
  const size = { bytesOf: ({ bytes }: ListedProxy) => bytes, bytesMax: PAGE_BYTES };
  const all = { list, filters, size, isVisible: () => true, source };
  const page =
    name === undefined
      ? await pageResources(deps.tenantKeys, caller, all, request)
      : await pageResources(deps.tenantKeys, caller, { ...all, ...namedLike(deps, name, source) }, request);
  const found = await deps.proxyStore.findMany(
    tenantId,
    page.items.map(({ id }) => id),
  );
  const stored = new Map(found.map((each) => [each.id, each]));
  // A proxy that was deleted meanwhile is missing.
  const items = page.items.flatMap(({ id }) => stored.get(id) ?? []);
  return { ...page, items: await Promise.all(items.map((each) => openProxy(deps.vault, each))) };
}

/** The part of a list that has a name like this. */
function namedLike(
  deps: GetProxyDeps,
  filter: string,
  { ids, findMany, newestFirst }: ResourceSource<ListedProxy>,
) {
  const matches = namePattern(filter);
  return {
    isVisible: ({ name }: { readonly name: string }) => matches(name),
    source: {
      ids,
      findMany: async (wantedIds: readonly string[]) => withNames(deps, await findMany(wantedIds)),
      async *newestFirst(after: string | undefined) {
        for await (const batch of newestFirst(after)) yield await withNames(deps, batch);
      },
    },
  };
}

/** Lists the last versions of a proxy and the retained ones, newest first. */
export async function listProxyVersions(
  deps: GetProxyDeps,
  caller: Caller,
  id: string,
): Promise<readonly ProxyVersion[]> {
  requirePermission(caller, 'proxy:review');
  const proxy = await existingProxy(deps, caller.tenantId, id);
  const versions = await deps.proxyStore.versions(proxy);
  return Promise.all(versions.map((version) => openVersion(deps.vault, proxy, version)));
}
