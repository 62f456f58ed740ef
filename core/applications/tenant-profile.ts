import { ServiceError } from '../shared/service-error.ts';
import type { Caller } from './application.ts';
import { requirePermission } from './require-permission.ts';
import type { TenantProfile, TenantProfileStore } from './tenant.ts';

export interface TenantProfileDeps {
  readonly tenantProfileStore: TenantProfileStore;
}

/** The caller's own tenant. */
export async function getTenant(deps: TenantProfileDeps, caller: Caller): Promise<TenantProfile> {
  requirePermission(caller, 'tenant:read');
  const profile = await deps.tenantProfileStore.profile(caller.tenantId);
  if (profile === undefined) throw new ServiceError('not_found', 'The tenant does not exist.');
  return profile;
}

/** Replaces name and settings of the caller's own tenant. */
export async function updateTenant(
  deps: TenantProfileDeps,
  caller: Caller,
  update: Omit<TenantProfile, 'id'>,
): Promise<TenantProfile> {
  requirePermission(caller, 'tenant:update');
  const profile = { id: caller.tenantId, ...update };
  if (!(await deps.tenantProfileStore.updateProfile(profile)))
    throw new ServiceError('not_found', 'The tenant does not exist.');
  return profile;
}
