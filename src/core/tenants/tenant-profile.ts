import { requirePermission } from '../access/require-permission.ts';
import type { Caller } from '../access/caller.ts';
import { changeTenant, existingTenant, type TenantDeps } from './change-tenant.ts';
import type { Tenant } from './tenant.ts';
import type { TenantSettings } from '../access/tenant-basics.ts';

/** The members of a tenant that the API shows. */
export type TenantProfile = Pick<Tenant, 'id' | 'name' | 'settings' | 'createdAt' | 'recoveredAt'>;

export async function getTenant(deps: TenantDeps, caller: Caller): Promise<TenantProfile> {
  requirePermission(caller, 'tenant:read');
  return existingTenant(deps, caller.tenantId);
}

/** The content of an update. Absent settings stay unchanged. */
export interface TenantUpdate {
  readonly name: string;
  readonly settings: Partial<TenantSettings>;
  /** Throws if the update has a different value for any other member. */
  readonly check?: (current: TenantProfile) => void;
}

/** Replaces the name of the caller's own tenant, and the settings that the update has. */
export async function updateTenant(
  deps: TenantDeps,
  caller: Caller,
  { name, settings, check }: TenantUpdate,
): Promise<TenantProfile> {
  requirePermission(caller, 'tenant:update');
  return changeTenant(deps, caller.tenantId, (tenant) => {
    check?.(tenant);
    return { ...tenant, name, settings: { ...tenant.settings, ...settings } };
  });
}
