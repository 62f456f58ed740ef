import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import { idsAskedFor } from '../shared/external-id.ts';
import { pageResources } from '../lists/page-resources.ts';
import type { Page, PageRequest } from '../lists/pagination.ts';
import { viewReactors, type GetReactorDeps, type ReactorView } from './get-reactor.ts';
import { namePattern } from '../lists/name-pattern.ts';
import { isOutdated, type RuntimeDeps } from './images.ts';
import type { Image } from './layer.ts';
import type { StoredReactor } from './reactor.ts';

export interface ListReactorsDeps extends GetReactorDeps, RuntimeDeps {
  readonly tenantKeys: TenantKeys;
}

/** Filters of a list; empty ones filter nothing. */
export interface ReactorFilters {
  readonly ids: readonly string[];
  readonly externalIds?: readonly string[];
  /** Case-insensitive; `*` matches any characters. Without `*`, the name must contain the text. */
  readonly name?: string;
  /** Only those whose code runs on it. */
  readonly image?: Image;
  /** Only those whose function has another layer than the present one, or only the others. */
  readonly isOutdated?: boolean;
}

/** Lists the tenant's reactors, newest first, or those under `ids` in their order. */
export async function listReactors(
  deps: ListReactorsDeps,
  caller: Caller,
  { ids: asked, externalIds = [], name, image, isOutdated: wantsOutdated }: ReactorFilters,
  request: PageRequest,
): Promise<Page<ReactorView>> {
  requirePermission(caller, 'reactor:review');
  const { tenantId } = caller;
  const matches = name === undefined ? () => true : namePattern(name);
  const ids = await idsAskedFor(deps.reactorStore, tenantId, { ids: asked, externalIds });
  const filters = [asked, name ?? null, image ?? null, wantsOutdated ?? null];
  const wanted = {
    list: 'reactors',
    filters: JSON.stringify(externalIds.length === 0 ? filters : [...filters, externalIds]),
    // These members are in the clear: only what is shown is opened.
    isVisible: (reactor: StoredReactor) =>
      reactor.state === 'ready' &&
      matches(reactor.name) &&
      (image === undefined || reactor.image === image) &&
      (wantsOutdated === undefined || isOutdated(deps, reactor) === wantsOutdated),
    source: {
      ids,
      findMany: (wantedIds: readonly string[]) => deps.reactorStore.findMany(tenantId, wantedIds),
      newestFirst: (after: string | undefined) => deps.reactorStore.list(tenantId, after),
    },
  };
  const page = await pageResources(deps.tenantKeys, caller, wanted, request);
  return { ...page, items: await viewReactors(deps, caller, page.items) };
}
