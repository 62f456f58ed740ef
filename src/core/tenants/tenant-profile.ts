import { requirePermission } from '../access/require-permission.ts';
import type { Caller } from '../applications/application.ts';
import { changeTenant, existingTenant, type TenantDeps } from './change-tenant.ts';
import type { Tenant } from './tenant.ts';

/** What a tenant says about itself through the API. */
export type TenantProfile = Pick<Tenant, 'id' | 'name' | 'settings'>;

/** The caller's own tenant. */
export async function getTenant(deps: TenantDeps, caller: Caller): Promise<TenantProfile> {
  requirePermission(caller, 'tenant:read');
  return existingTenant(deps, caller.tenantId);
}

/** Replaces name and settings of the caller's own tenant. */
export async function updateTenant(
  deps: TenantDeps,
  caller: Caller,
  { name, settings }: Omit<TenantProfile, 'id'>,
): Promise<TenantProfile> {
  requirePermission(caller, 'tenant:update');
  return changeTenant(deps, caller.tenantId, (tenant) => ({ ...tenant, name, settings }));
}
