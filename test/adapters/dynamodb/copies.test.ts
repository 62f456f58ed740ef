import { randomUUID } from 'node:crypto';
import { dueApplications } from '../../../src/adapters/dynamodb/due-access.ts';
import { createApplicationStore } from '../../../src/adapters/dynamodb/application-store.ts';
import { changeTenant } from '../../../src/core/tenants/change-tenant.ts';
import {
  deleteApplication,
  regenerateKey,
  updateApplication,
} from '../../../src/core/applications/change-application.ts';
import type { Caller } from '../../../src/core/access/caller.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import { applicationReadsContract } from '../../contracts/application-reads-contract.ts';
import { BUDGETS } from '../../../tools/bench/budgets.ts';
import { measureReads } from '../../../tools/bench/counts/measure-reads.ts';
import { deploymentKeyStoreContract } from '../../contracts/deployment-key-store-contract.ts';
import { tenantStoreContract } from '../../contracts/tenant-store-contract.ts';
import { manyInstances } from '../../support/many-instances.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

/** So many reads that they include each of eight copies, in all but one of 10^8 runs. */
const MANY = 160;

let world: Awaited<ReturnType<typeof manyInstances>>;
let tenantId: string;
beforeAll(async () => {
  world = await manyInstances();
  tenantId = await world.aTenant();
});
afterAll(() => world.database.close());

const manager = (): Caller => ({
  tenantId,
  credentialId: 'manager',
  applicationId: randomUUID(),
  type: 'management',
  actsBy: 'own_key',
  permissions: ['application:update', 'application:delete'],
  rules: [],
});

/**
 * The status codes of many requests with a key, to an instance that knows it and one that does not.
 */
async function statusesOf(key: string, ask = world.anInstance()): Promise<readonly number[]> {
  const statuses = new Set<number>();
  for (let asked = 0; asked < MANY; asked += 20) {
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask('GET', '/tokens/nothing', key)));
    for (const { status } of replies) statuses.add(status);
  }
  return [...statuses];
}

async function grantsOf(id: string): Promise<readonly string[]> {
  const found = await Promise.all(
    Array.from({ length: MANY }, () => world.operator.credentialStore.grants(tenantId, [id])),
  );
  return [...new Set(found.map((grants) => JSON.stringify(grants.map(({ rules }) => rules))))];
}

deploymentKeyStoreContract('in DynamoDB', () => world.operator.deploymentKeyStore);
tenantStoreContract('in DynamoDB', () => ({
  ...world.operator.tenantStore,
  ...world.operator.tenantBasicsStore,
}));
applicationReadsContract('in DynamoDB', () => {
  const { applicationStore, credentialStore } = world.operator;
  return {
    reads: { ...applicationStore, ...credentialStore },
    put: (application) => applicationStore.create(application),
  };
});

describe('the copies of an application’s grants', () => {
  it('exist from its creation on, under its key and its id', async () => {
    const { application, key } = await world.anApplication(tenantId);
    expect(await statusesOf(key)).toEqual([404]);
    expect(await grantsOf(application.id)).toHaveLength(1);
  });

  it('change together', async () => {
    const { application, key } = await world.anApplication(tenantId);
    const known = world.anInstance();
    expect(await statusesOf(key, known)).toEqual([404]);
    const update = { name: 'x', permissions: ['token:create'], rules: [] } as const;
    await updateApplication(world.operator, manager(), application.id, update);
    expect([await statusesOf(key, known), await statusesOf(key)]).toEqual([[403], [403]]);
    expect(await grantsOf(application.id)).toEqual(['[[]]']);
  });

  it.each(['regenerated', 'deleted', 'expired and swept'])(
    'are all rejected immediately when the key was %s',
    async (how) => {
      const more = how === 'expired and swept' ? { expiresAtMs: world.state.now + 1_000 } : {};
      const { application, key } = await world.anApplication(tenantId, more);
      const known = world.anInstance();
      expect(await statusesOf(key, known)).toEqual([404]);
      const { id } = application;
      if (how === 'regenerated') {
        const { key: next } = await regenerateKey(world.operator, manager(), id);
        expect(await statusesOf(next.reveal())).toEqual([404]);
      } else if (how === 'deleted') {
        await deleteApplication(world.operator, manager(), id);
      } else {
        world.state.now += 2_000;
        const clock = () => world.state.now;
        await sweep(dueApplications(world.database.table('Access'), clock), {
          ...machinePlatform,
          clock,
          deadline: Infinity,
          onFailure: (error) => {
            throw error;
          },
        });
      }
      expect([await statusesOf(key, known), await statusesOf(key)]).toEqual([[401], [401]]);
      const grants = await grantsOf(id);
      expect(grants).toEqual(how === 'regenerated' ? [expect.stringContaining('token:read')] : ['[]']);
      // No trace may remain in the table: an unknown key of 256 bits would be rejected too.
      const left = (await world.database.keys()).filter((each) => each.includes(id));
      expect(left).toHaveLength(how === 'regenerated' ? 9 : 0);
    },
  );

  it('fit one transaction for the largest application', async () => {
    const { application, key } = await world.anApplication(tenantId);
    const segment = 'x'.repeat(63);
    const rules = Array.from({ length: 100 }, (_, at) => ({
      description: '\u20ac'.repeat(500),
      priority: at + 1,
      container: `/${String(at).padStart(64, '0')}/${Array.from({ length: 7 }, () => `${segment}x`).join('/')}/`,
      transform: 'reveal' as const,
      permissions: ['token:create', 'token:read', 'token:search', 'token:update', 'token:delete'] as const,
    }));
    await updateApplication(world.operator, manager(), application.id, { name: 'x', permissions: [], rules });
    expect(await statusesOf(key)).toEqual([404]);
    const { key: next } = await regenerateKey(world.operator, manager(), application.id);
    expect([await statusesOf(key), await statusesOf(next.reveal())]).toEqual([[401], [404]]);
    await deleteApplication(world.operator, manager(), application.id);
  });

  it('are written by a change whose response was lost, and not by a conflicting one', async () => {
    const { application } = await world.anApplication(tenantId);
    const lost = createApplicationStore(
      world.database.table('Access', (operation, nth) =>
        operation === 'TransactWriteItems' && nth === 2 ? 'lose' : undefined,
      ),
    );
    const next = { ...application, rules: [], version: 2 };
    expect(await lost.update(application, next)).toBe(true);
    expect(await world.operator.applicationStore.update(application, { ...next, version: 9 })).toBe(false);
    expect(await grantsOf(application.id)).toEqual(['[[]]']);
  });
});

describe('the copies of a tenant', () => {
  it('change together, including the inputs of key derivation', async () => {
    const versions = async () => {
      const found = await Promise.all(
        Array.from({ length: MANY }, () => world.operator.tenantBasicsStore.basics(tenantId)),
      );
      return [
        ...new Set(found.map((basics) => [basics?.keyVersion, basics?.settings.deduplicateTokens])),
      ].map(String);
    };
    expect(new Set(await versions())).toEqual(new Set(['1,false']));
    await changeTenant(world.operator, tenantId, (tenant) => ({
      ...tenant,
      keyVersion: 2,
      settings: { deduplicateTokens: true, ephemeralProxy: true },
    }));
    expect(new Set(await versions())).toEqual(new Set(['2,true']));
  });
});

describe('the requests of one API key to several instances', () => {
  it('read no item more often than the budget of a hot item allows', async () => {
    const { requests, share } = BUDGETS.hotItem;
    const found = await measureReads();
    expect(found.reduce((sum, each) => sum + each.requests, 0)).toBe(requests);
    for (const each of found) {
      expect(each.all).toBeGreaterThanOrEqual(each.requests);
      expect(each.most).toBeLessThanOrEqual(share * each.requests);
    }
  });
});
