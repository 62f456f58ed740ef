import { changeTenant, type TenantDeps } from '../tenants/change-tenant.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { isDestroyed, currentRoot, KEY_VERSION_MAX } from '../crypto/key-ring.ts';
import { ServiceError } from '../shared/service-error.ts';

export interface RotateDataKeyDeps extends TenantDeps {
  /** How long a data key encrypts new records, in ms. */
  readonly keyRotationMs: number;
}

const hasWaitingRoot = (tenant: Tenant): boolean => tenant.roots.at(-1) !== currentRoot(tenant);

/** Adds the next version of the data key to a tenant. A rotation does not start a waiting root. */
function rotated({ clock, keyRotationMs }: RotateDataKeyDeps, tenant: Tenant): Tenant {
  if (hasWaitingRoot(tenant))
    throw new ServiceError('conflict', 'The root of the tenant is being replaced: continue that first.');
  if (tenant.keyVersion >= KEY_VERSION_MAX) throw new ServiceError('conflict', 'No version is left.');
  return { ...tenant, keyVersion: tenant.keyVersion + 1, rotateAt: clock() + keyRotationMs };
}

/**
 * Rotates the data key. New records are encrypted under the returned version within five minutes,
 * when caches end (docs/security.md#keys). Throws `not_found`, and `conflict` while a root waits.
 */
export async function rotateDataKey(deps: RotateDataKeyDeps, tenantId: string): Promise<number> {
  const { keyVersion } = await changeTenant(deps, tenantId, (tenant) => rotated(deps, tenant));
  return keyVersion;
}

/**
 * Rotates the data key of a tenant if it is due. A tenant with a waiting root stays due, which
 * shows in the lateness of the sweep.
 */
export async function rotateIfDue(deps: RotateDataKeyDeps, tenantId: string): Promise<void> {
  const isDue = (tenant: Tenant) => tenant.rotateAt <= deps.clock() && !hasWaitingRoot(tenant);
  const found = await deps.tenantStore.find(tenantId);
  if (found === undefined || isDestroyed(found) || !isDue(found)) return;
  await changeTenant(deps, tenantId, (tenant) => (isDue(tenant) ? rotated(deps, tenant) : tenant));
}
