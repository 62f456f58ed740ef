import { requirePermission } from '../access/require-permission.ts';
import type { Caller } from '../access/caller.ts';
import { nextRevision, requireMatch } from '../shared/revision.ts';
import { defined } from '../shared/defined.ts';
import { changeTenant, existingTenant, type TenantDeps } from './change-tenant.ts';
import type { Tenant } from './tenant.ts';
import type { TenantSettings } from '../access/tenant-basics.ts';

/** The members of a tenant that the API shows. */
export type TenantProfile = Pick<
  Tenant,
  'id' | 'name' | 'settings' | 'configurationRevision' | 'createdAt' | 'recoveredAt' | 'revision'
>;

export async function getTenant(deps: TenantDeps, caller: Caller): Promise<TenantProfile> {
  requirePermission(caller, 'tenant:read');
  return existingTenant(deps, caller.tenantId);
}

/** The content of an update. Absent settings stay unchanged. */
export interface TenantUpdate {
  readonly name: string;
  readonly settings: Partial<TenantSettings>;
  /** `null` takes it away, and without it the tenant has its own. */
  readonly configurationRevision?: string | null;
  /** Throws if the update has a different value for any other member. */
  readonly check?: (current: TenantProfile) => void;
}

/** Replaces the name of the caller's own tenant, and the settings that the update has. */
export async function updateTenant(
  deps: TenantDeps,
  caller: Caller,
  { name, settings, configurationRevision, check }: TenantUpdate,
): Promise<TenantProfile> {
  requirePermission(caller, 'tenant:update');
  return changeTenant(deps, caller.tenantId, (tenant) => {
    check?.(tenant);
    requireMatch(caller, tenant);
    const { configurationRevision: before, ...rest } = tenant;
    return defined({
      ...rest,
      name,
      settings: { ...tenant.settings, ...settings },
      configurationRevision:
        configurationRevision === undefined ? before : (configurationRevision ?? undefined),
      revision: nextRevision(deps.random, tenant),
    });
  });
}
