// Simulates the keys of tenants in several instances over one store and one key service, in memory.
// `state.now` is the clock of all of them: a test that waits for days adds them to it.
import { randomUUID } from 'node:crypto';
import { createTenant } from '../../src/core/tenants/create-tenant.ts';
import type { Tenant } from '../../src/core/tenants/tenant.ts';
import { createTenantKeys } from '../../src/core/crypto/tenant-keys.ts';
import { aTenantStore } from './fakes/a-tenant-store.ts';
import { aKeyService } from './tenant-keys.ts';

/** Tenants in memory under a shared clock; every `instance` of the service has separate caches. */
export async function aTenantWorld({ keyRotationMs = 500, now = 1_000_000 } = {}) {
  const keys = aKeyService();
  const tenants = new Map<string, Tenant>();
  const state = { now, reads: 0 };
  const clock = () => state.now;
  const tenantStore = aTenantStore(tenants);
  const keyRingStore = {
    keyRing(id: string) {
      state.reads += 1;
      return Promise.resolve(tenants.get(id));
    },
  };
  const deps = { tenantStore, keyService: keys.service, clock, keyRotationMs };
  const { tenantId } = await createTenant({ ...deps, newId: randomUUID }, { name: 'x' });
  return {
    deps,
    keys,
    state,
    tenantId,
    tenant: () => {
      const found = tenants.get(tenantId);
      if (found === undefined) throw new Error('the tenant is missing');
      return found;
    },
    instance: () => createTenantKeys({ keyService: keys.service, keyRingStore, clock }),
  };
}
