import type { Tenant, TenantStore } from '../../../src/core/tenants/tenant.ts';
import type { TenantBasicsStore } from '../../../src/core/access/tenant-basics.ts';

/**
 * The contracts of {@link TenantStore} and {@link TenantBasicsStore} in memory; the first
 * application is not stored.
 */
export function aTenantStore(tenants = new Map<string, Tenant>()): TenantStore & TenantBasicsStore {
  return {
    async *list() {
      yield await Promise.resolve([...tenants.values()]);
    },
    create(tenant) {
      if (tenants.has(tenant.id)) return Promise.reject(new Error('the id is taken'));
      return Promise.resolve(void tenants.set(tenant.id, tenant));
    },
    find: (id) => Promise.resolve(tenants.get(id)),
    update(previous, next) {
      const isSame = tenants.get(previous.id)?.version === previous.version;
      if (isSame) tenants.set(next.id, next);
      return Promise.resolve(isSame);
    },
    remove: (id) => Promise.resolve(void tenants.delete(id)),
    basics: (id) => Promise.resolve(tenants.get(id)),
  };
}
