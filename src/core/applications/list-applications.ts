import type { TenantKeys } from '../crypto/tenant-keys.ts';
import type { Clock } from '../shared/clock.ts';
import { namePattern } from '../lists/name-pattern.ts';
import { idsAskedFor } from '../shared/external-id.ts';
import { pageResources } from '../lists/page-resources.ts';
import type { Page, PageRequest } from '../lists/pagination.ts';
import type { Application } from './application.ts';
import type { Caller } from '../access/caller.ts';
import type { ApplicationStore } from './application-store.ts';
import { applicationExists } from './get-application.ts';
import type { ApplicationType } from '../access/permission.ts';
import { requirePermission } from '../access/require-permission.ts';

export interface ListApplicationsDeps {
  readonly applicationStore: ApplicationStore;
  readonly tenantKeys: TenantKeys;
  readonly clock: Clock;
}

/** Filters of a list; empty ones filter nothing. */
export interface ApplicationFilters {
  readonly ids: readonly string[];
  readonly externalIds?: readonly string[];
  readonly types: readonly ApplicationType[];
  /** Case-insensitive; `*` matches any characters. Without `*`, the name must contain the text. */
  readonly name?: string;
}

/** Lists the tenant's applications, newest first, or those under `ids` in their order. */
export async function listApplications(
  deps: ListApplicationsDeps,
  caller: Caller,
  { ids: asked, externalIds = [], types, name }: ApplicationFilters,
  request: PageRequest,
): Promise<Page<Application>> {
  requirePermission(caller, 'application:read');
  const { tenantId } = caller;
  const now = deps.clock();
  const ids = await idsAskedFor(deps.applicationStore, tenantId, { ids: asked, externalIds });
  const filters = name === undefined ? [asked, types] : [asked, types, name];
  const matches = name === undefined ? () => true : namePattern(name);
  const wanted = {
    list: 'applications',
    filters: JSON.stringify(externalIds.length === 0 ? filters : [filters, externalIds]),
    isVisible: (application: Application) =>
      applicationExists(application, now) &&
      (types.length === 0 || types.includes(application.type)) &&
      matches(application.name),
    source: {
      ids,
      findMany: (wantedIds: readonly string[]) => deps.applicationStore.findMany(tenantId, wantedIds),
      newestFirst: (after: string | undefined) => deps.applicationStore.list(tenantId, after),
    },
  };
  return pageResources(deps.tenantKeys, caller, wanted, request);
}
