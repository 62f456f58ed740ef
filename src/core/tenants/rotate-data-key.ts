import { changeTenant, type TenantDeps } from './change-tenant.ts';
import { isDestroyed, type Tenant } from './tenant.ts';
import { currentRoot, KEY_VERSION_MAX } from '../crypto/key-ring.ts';
import type { Clock } from '../shared/clock.ts';
import { ServiceError } from '../shared/service-error.ts';

export interface RotateDataKeyDeps extends TenantDeps {
  readonly clock: Clock;
  /** How long a data key seals new records, in ms. */
  readonly keyRotationMs: number;
}

const hasWaitingRoot = (tenant: Tenant): boolean => tenant.roots.at(-1) !== currentRoot(tenant);

/**
 * The next version of a tenant's data key. A root that waits for its first version is not started
 * by a rotation.
 */
function rotated({ clock, keyRotationMs }: RotateDataKeyDeps, tenant: Tenant): Tenant {
  if (hasWaitingRoot(tenant))
    throw new ServiceError('conflict', 'The root of the tenant is being replaced: go on with that first.');
  if (tenant.keyVersion >= KEY_VERSION_MAX) throw new ServiceError('conflict', 'No version is left.');
  return { ...tenant, keyVersion: tenant.keyVersion + 1, rotateAt: clock() + keyRotationMs };
}

/**
 * Gives a tenant another data key and answers with its version. No key is in hand: the version is
 * what it is derived by. New records are sealed under it within five minutes, the time that
 * instances remember a ring; old ones open under theirs until they are sealed anew. The other
 * purposes do not rotate: what they derive is compared (docs/security.md#keys). Throws `not_found`,
 * and `conflict` while a root waits.
 */
export async function rotateDataKey(deps: RotateDataKeyDeps, tenantId: string): Promise<number> {
  const { keyVersion } = await changeTenant(deps, tenantId, (tenant) => rotated(deps, tenant));
  return keyVersion;
}

/**
 * Rotates the data key of a tenant whose time has come. One whose root waits stays due, which the
 * sweep's lateness tells.
 */
export async function rotateIfDue(deps: RotateDataKeyDeps, tenantId: string): Promise<void> {
  const isDue = (tenant: Tenant) => tenant.rotateAt <= deps.clock() && !hasWaitingRoot(tenant);
  const found = await deps.tenantStore.find(tenantId);
  if (found === undefined || isDestroyed(found) || !isDue(found)) return;
  await changeTenant(deps, tenantId, (tenant) => (isDue(tenant) ? rotated(deps, tenant) : tenant));
}
