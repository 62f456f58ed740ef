import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import { pageResources } from '../lists/page-resources.ts';
import type { Page, PageRequest } from '../lists/pagination.ts';
import { viewReactors, type GetReactorDeps, type ReactorView } from './get-reactor.ts';
import { namePattern } from '../lists/name-pattern.ts';
import type { StoredReactor } from './reactor.ts';

export interface ListReactorsDeps extends GetReactorDeps {
  readonly tenantKeys: TenantKeys;
}

/** Filters of a list; empty ones filter nothing. */
export interface ReactorFilters {
  readonly ids: readonly string[];
  /** Case-insensitive; `*` matches any characters. Without `*`, the name must contain the text. */
  readonly name?: string;
}

/** Lists the tenant's reactors, newest first, or those under `ids` in their order. */
export async function listReactors(
  deps: ListReactorsDeps,
  caller: Caller,
  { ids, name }: ReactorFilters,
  request: PageRequest,
): Promise<Page<ReactorView>> {
  requirePermission(caller, 'reactor:read');
  const { tenantId } = caller;
  const matches = name === undefined ? () => true : namePattern(name);
  const wanted = {
    list: 'reactors',
    filters: JSON.stringify([ids, name ?? null]),
    isVisible: (reactor: StoredReactor) => reactor.state === 'ready' && matches(reactor.name),
    source: {
      ids,
      findMany: (wantedIds: readonly string[]) => deps.reactorStore.findMany(tenantId, wantedIds),
      newestFirst: (after: string | undefined) => deps.reactorStore.list(tenantId, after),
    },
  };
  const page = await pageResources(deps.tenantKeys, caller, wanted, request);
  return { ...page, items: await viewReactors(deps, tenantId, page.items) };
}
