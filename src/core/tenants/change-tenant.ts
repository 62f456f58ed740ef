import { retryConflict } from '../shared/retry-conflict.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Tenant, TenantStore } from './tenant.ts';
import { isDestroyed } from '../crypto/key-ring.ts';
import type { Platform } from '../shared/platform.ts';

export interface TenantDeps extends Platform {
  readonly tenantStore: Pick<TenantStore, 'find' | 'update'>;
}

/** Finds a tenant that is not being destroyed. Throws `not_found`. */
export async function existingTenant({ tenantStore }: TenantDeps, tenantId: string): Promise<Tenant> {
  const tenant = await tenantStore.find(tenantId);
  if (tenant === undefined || isDestroyed(tenant))
    throw new ServiceError('not_found', 'The tenant does not exist.');
  return tenant;
}

/**
 * Changes a tenant without losing a concurrent change. `change` may be called again with a newer
 * version. A tenant that it does not change is not written. Throws `not_found`.
 */
export async function changeTenant(
  deps: TenantDeps,
  tenantId: string,
  change: (tenant: Tenant) => Tenant | Promise<Tenant>,
): Promise<Tenant> {
  return retryConflict<Tenant>(deps, async () => {
    const previous = await existingTenant(deps, tenantId);
    const changed = await change(previous);
    if (changed === previous) return previous;
    const next = { ...changed, version: previous.version + 1 };
    return (await deps.tenantStore.update(previous, next)) ? next : 'conflict';
  });
}
