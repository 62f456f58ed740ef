import type { TenantKeys } from '../crypto/tenant-keys.ts';
import type { TenantStore } from '../tenants/tenant.ts';
import { isDestroyed } from '../crypto/key-ring.ts';
import type { AuditKeys } from './verification.ts';

/**
 * The keys for checking the MACs of a tenant's records, one for each root of the tenant.
 * `destroyed` means that the tenant has no root any more, or does not exist.
 */
export async function auditKeysOf(
  deps: { readonly tenantStore: Pick<TenantStore, 'find'>; readonly tenantKeys: Pick<TenantKeys, 'version'> },
  tenantId: string,
): Promise<AuditKeys | 'destroyed'> {
  const tenant = await deps.tenantStore.find(tenantId);
  if (tenant === undefined || isDestroyed(tenant)) return 'destroyed';
  const keys = await Promise.all(
    tenant.roots.map(({ since }) => deps.tenantKeys.version(tenantId, 'audit', since)),
  );
  return new Map(keys.map(({ key, version }) => [version, key]));
}
