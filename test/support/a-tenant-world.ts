// Simulates the keys of tenants in several instances over one store and one key service, in memory.
// `state.now` is the clock of all of them: a test that waits for days adds them to it.
import { randomUUID } from 'node:crypto';
import { createTenant } from '../../src/core/operator/create-tenant.ts';
import type { Tenant } from '../../src/core/tenants/tenant.ts';
import { createTenantKeys } from '../../src/core/crypto/tenant-keys.ts';
import type { WrappingKey } from '../../src/core/operator/wrap-roots.ts';
import { aDeploymentKeyStore } from './fakes/a-deployment-key-store.ts';
import { aTenantStore } from './fakes/a-tenant-store.ts';
import { aKeyService } from './tenant-keys.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

interface Options {
  readonly keyRotationMs?: number;
  readonly now?: number;
  readonly wrappedBy?: WrappingKey;
}

/** Tenants in memory under a shared clock; every `instance` of the service has separate caches. */
export async function aTenantWorld({
  keyRotationMs = 500,
  now = 1_000_000,
  wrappedBy = 'kms',
}: Options = {}) {
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
  const failures: unknown[] = [];
  const deps = {
    tenantStore,
    keyService: keys.service,
    deploymentKeyStore: aDeploymentKeyStore(),
    newId: () => randomUUID(),
    ...machinePlatform,
    clock,
    keyRotationMs,
    onFailure: (error: unknown) => failures.push(error),
  };
  const another = async (by: WrappingKey) =>
    (await createTenant(deps, { name: 'x', wrappedBy: by })).tenantId;
  const tenantId = await another(wrappedBy);
  keys.unwraps.length = 0;
  const tenant = (id = tenantId) => {
    const found = tenants.get(id);
    if (found === undefined) throw new Error('the tenant is missing');
    return found;
  };
  return {
    deps,
    keys,
    state,
    tenantId,
    tenants,
    failures,
    tenant,
    /** Creates another tenant and returns its id. */
    another,
    /** The ids by which the key service opens the roots of a tenant. */
    openers: (id = tenantId) => tenant(id).roots.map(({ deploymentKey }) => deploymentKey?.id ?? id),
    instance: () => createTenantKeys({ keyService: keys.service, keyRingStore, clock }),
  };
}
