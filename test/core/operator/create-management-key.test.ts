import { randomUUID } from 'node:crypto';
import { createApplicationStore } from '../../../src/adapters/dynamodb/application-store.ts';
import { createTenantStore } from '../../../src/adapters/dynamodb/tenant-store.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { isLegalFor, PERMISSION_NAMES } from '../../../src/core/access/permission.ts';
import { hashApiKey } from '../../../src/core/crypto/api-key.ts';
import { createManagementKey } from '../../../src/core/operator/create-management-key.ts';
import { aTenant } from '../../support/builders/a-tenant.ts';
import { anApplication } from '../../support/builders/an-application.ts';
import { tablesInMemory } from '../../support/stores-in-memory.ts';

const NOW = Date.parse('2026-11-30T10:00:00Z');
const DAY = 24 * 60 * 60 * 1000;

async function aWorld(more: Parameters<typeof aTenant>[0] = {}) {
  const access = tablesInMemory(() => NOW).table('Access');
  const tenantStore = createTenantStore(access);
  const applicationStore = createApplicationStore(access);
  const tenant = aTenant(more);
  await tenantStore.create(tenant, anApplication({ tenantId: tenant.id, type: 'management' }));
  const events: string[] = [];
  const deps = {
    ...machinePlatform,
    clock: () => NOW,
    tenantStore: {
      find: (id: string) => tenantStore.find(id),
      update: (...change: Parameters<typeof tenantStore.update>) => {
        events.push('the tenant has the time');
        return tenantStore.update(...change);
      },
    },
    applicationStore: {
      create: (application: Parameters<typeof applicationStore.create>[0]) => {
        events.push('the key exists');
        return applicationStore.create(application);
      },
    },
    newId: () => randomUUID(),
    onManagementKeyCreated: () => events.push('the alarm rings'),
  };
  return { deps, tenant, tenantStore, applicationStore, events };
}

describe('a management key that an operator makes', () => {
  it('has every management permission, and ends with its application after 24 hours', async () => {
    const { deps, tenant, applicationStore, tenantStore } = await aWorld();
    const made = await createManagementKey(deps, { tenantId: tenant.id });
    expect(made.expiresAtMs).toBe(NOW + DAY);
    expect(await applicationStore.find(tenant.id, made.applicationId)).toMatchObject({
      name: 'Recovery 2026-11-30',
      type: 'management',
      permissions: PERMISSION_NAMES.filter((each) => isLegalFor(each, 'management')),
      rules: [],
      expiresAtMs: NOW + DAY,
      keys: [{ id: made.keyId, hash: hashApiKey(made.key) }],
    });
    expect((await tenantStore.find(tenant.id))?.recoveredAt).toBe(NOW);
  });

  it('lives as long as the operator says', async () => {
    const { deps, tenant } = await aWorld();
    const made = await createManagementKey(deps, { tenantId: tenant.id, lifeMs: 7 * DAY });
    expect(made.expiresAtMs).toBe(NOW + 7 * DAY);
  });

  it('exists after the tenant has its time and the alarm rings, so that no key is made in silence', async () => {
    const { deps, tenant, events } = await aWorld();
    await createManagementKey(deps, { tenantId: tenant.id });
    expect(events).toEqual(['the tenant has the time', 'the alarm rings', 'the key exists']);
  });

  it.each([
    ['an unknown tenant', {}, randomUUID()],
    ['a tenant that is being destroyed', { roots: [] }, undefined],
  ])('does not exist for %s, and no alarm rings', async (_what, more, other) => {
    const { deps, tenant, events } = await aWorld(more);
    const tenantId = other ?? tenant.id;
    await expect(createManagementKey(deps, { tenantId })).rejects.toHaveProperty('code', 'not_found');
    expect(events).toEqual([]);
  });
});
