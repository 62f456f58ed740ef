// Simulates the keys of tenants in several instances over one store and one key service, in memory.
// `state.now` is the clock of all of them: a test that waits for days adds them to it.
import { randomUUID } from 'node:crypto';
import { createDeploymentKeyStore } from '../../src/adapters/dynamodb/deployment-key-store.ts';
import { createTenantBasicsStore } from '../../src/adapters/dynamodb/tenant-basics-store.ts';
import { createTenantStore } from '../../src/adapters/dynamodb/tenant-store.ts';
import { createTenant } from '../../src/core/operator/create-tenant.ts';
import { createTenantKeys } from '../../src/core/crypto/tenant-keys.ts';
import type { WrappingKey } from '../../src/core/operator/wrap-roots.ts';
import { itemsOf, tablesInMemory, tenantItemsOf } from './stores-in-memory.ts';
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
  const state = { now, reads: 0 };
  const clock = () => state.now;
  const tables = tablesInMemory(clock);
  const access = tables.table('Access');
  const tenantItems = tenantItemsOf(tables);
  const basicsStore = createTenantBasicsStore(access);
  const keyRingStore = {
    keyRing(id: string) {
      state.reads += 1;
      return basicsStore.keyRing(id);
    },
  };
  const failures: unknown[] = [];
  const deps = {
    tenantStore: createTenantStore(access),
    keyService: keys.service,
    deploymentKeyStore: createDeploymentKeyStore(access),
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
  const tenant = (id = tenantId) => tenantItems.find(id);
  return {
    deps,
    keys,
    state,
    tenantId,
    tenants: tenantItems.all,
    /** Everything that the table of the tenants has. */
    items: () => [...itemsOf(tables, 'Access')],
    failures,
    tenant,
    /** Creates another tenant and returns its id. */
    another,
    /** The ids by which the key service opens the roots of a tenant. */
    openers: (id = tenantId) => tenant(id).roots.map(({ deploymentKey }) => deploymentKey?.id ?? id),
    instance: () => createTenantKeys({ keyService: keys.service, keyRingStore, clock }),
  };
}
