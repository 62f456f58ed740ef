// docs/storage.md#what-a-change-costs
import { readFileSync } from 'node:fs';
import { createApplicationStore } from '../../../src/adapters/dynamodb/application-store.ts';
import { credentialKey } from '../../../src/adapters/dynamodb/keys.ts';
import { readCredentialItem } from '../../../src/adapters/dynamodb/application-item.ts';
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import type { Application } from '../../../src/core/applications/application.ts';
import { deleteApplication } from '../../../src/core/applications/change-application.ts';
import { KEYS_MAX } from '../../../src/core/applications/application-key.ts';
import { cases, randomOfFile } from '../../../packages/test-kit/src/thoroughness.ts';
import { aDatabase } from '../../support/a-database.ts';
import { aCaller } from '../../support/builders/a-caller.ts';
import { aKey, anApplication } from '../../support/builders/an-application.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const random = randomOfFile();

let database: Awaited<ReturnType<typeof aDatabase>>;
let writes: number[];
let calls: string[];
let store: ReturnType<typeof createApplicationStore>;
let client: ReturnType<(typeof database)['tables']>['client'];
beforeAll(async () => {
  database = await aDatabase();
  ({ client } = database.tables((operation, _, input) => {
    calls.push(operation);
    if (operation === 'TransactWriteItems')
      writes.push((input as { readonly TransactItems: readonly object[] }).TransactItems.length);
    return undefined;
  }));
  store = createApplicationStore({ client, platform: machinePlatform, name: 'Access' });
});
beforeEach(() => {
  writes = [];
  calls = [];
});
afterAll(() => database.close());

const keys = (count: number) => Array.from({ length: count }, () => aKey());
const next = (application: Application, more: Partial<Application>): Application => ({
  ...application,
  ...more,
  version: application.version + 1,
});

/** The numbers of writes of each kind of change, to an application with so many keys. */
async function costsWith(count: number): Promise<Readonly<Record<string, number>>> {
  const costs: Record<string, number> = {};
  const counted = async (name: string, change: (application: Application) => Promise<boolean>) => {
    const application = anApplication({ keys: keys(count) });
    await store.create(application);
    writes = [];
    expect(await change(application)).toBe(true);
    costs[name] = writes.reduce((sum, each) => sum + each, 0);
    expect(writes).toHaveLength(1);
  };
  const replaced = (application: Application, more: object) =>
    store.update(
      application,
      next(application, {
        keys: application.keys.map((key, at) => (at === 0 ? { ...key, ...more } : key)),
      }),
    );
  await counted('change its rights', (each) => store.update(each, next(each, { permissions: [] })));
  await counted('regenerate', (each) => store.update(each, next(each, { keys: keys(1) })));
  const others = (each: Application) => each.keys.slice(0, KEYS_MAX - 1);
  if (count < KEYS_MAX)
    await counted('create a key', (each) =>
      store.update(each, next(each, { keys: [...others(each), aKey()] })),
    );
  await counted('change the name of a key', (each) => replaced(each, { name: 'x' }));
  await counted('change the end or the networks of a key', (each) =>
    replaced(each, { sourceAddresses: ['203.0.113.0/24'] }),
  );
  await counted('delete a key', (each) => store.update(each, next(each, { keys: each.keys.slice(1) })));
  await counted('delete an application, or sweep its expiry', (each) => store.delete(each));
  return costs;
}

it('a change of an application costs what the documentation says, in one transaction', async () => {
  const one = await costsWith(1);
  const seven = await costsWith(KEYS_MAX - 1);
  const eight = await costsWith(KEYS_MAX);
  await store.create(anApplication());
  const storage = readFileSync('docs/storage.md', 'utf8');
  const [, table = ''] = /### What a change costs(.*?)^### /ms.exec(storage) ?? [];
  const documented = new Map(
    [...table.matchAll(/^\| ([^|]+?) +\| [^|]+\| +(\d+) +\| +(\d*) +\|$/gm)].map(
      ([, name = '', withOne, withEight]) => [name, [Number(withOne), Number(withEight)]],
    ),
  );
  expect(documented.get('create an application')).toEqual([writes.at(-1), 0]);
  expect([...documented.keys()].filter((name) => name !== 'create an application')).toEqual(Object.keys(one));
  for (const name of Object.keys(one))
    expect([name, documented.get(name)]).toEqual([name, [one[name], eight[name] ?? seven[name]]]);
});

describe('a change that takes the last manager of its application', () => {
  const caller = (application: Application) =>
    aCaller({
      tenantId: application.tenantId,
      applicationId: application.id,
      permissions: ['application:delete'],
    });
  const deps = () => ({ ...machinePlatform, applicationStore: store });
  const manager = (more: Partial<Application> = {}) =>
    anApplication({ type: 'management', permissions: ['application:update'], ...more });

  it('reads one item more, the application of a caller who manages, and checks it in the transaction', async () => {
    const changed = manager();
    const { tenantId } = changed;
    const own = manager({ tenantId });
    const plain = anApplication({ tenantId });
    for (const each of [changed, own, plain]) await store.create(each);
    const costOf = async ({ id }: Application) => {
      [writes, calls] = [[], []];
      const { keyId: _, ...by } = caller(own);
      await deleteApplication(deps(), by, id);
      return { writes, calls };
    };
    expect(await costOf(plain)).toEqual({ writes: [18], calls: ['BatchGetItem', 'TransactWriteItems'] });
    expect(await costOf(changed)).toEqual({
      writes: [19],
      calls: ['BatchGetItem', 'BatchGetItem', 'TransactWriteItems'],
    });
  });

  it('queries the applications once more if the caller ends its own application', async () => {
    const own = manager();
    for (const each of [own, manager({ tenantId: own.tenantId })]) await store.create(each);
    [writes, calls] = [[], []];
    const { keyId: _, ...by } = caller(own);
    await deleteApplication(deps(), by, own.id);
    expect({ writes, calls }).toEqual({
      writes: [19],
      calls: ['BatchGetItem', 'Query', 'TransactWriteItems'],
    });
  });
});

it('a copy of a key that has the rights of its application takes one read unit', async () => {
  const seen = new Set<boolean>();
  for (let run = 0; run < cases(60); run += 1) {
    const networks = Array.from(
      { length: Math.floor(random() * 21) },
      (_, at) => `2001:db8:${String(at)}:ffff::/64`,
    );
    const rules = Array.from({ length: Math.floor(random() * 24) }, (_, at) => ({
      priority: at + 1,
      container: `/${'\u00e9c'.repeat(Math.floor(random() * 60))}/` as const,
      transform: 'mask' as const,
      permissions: ['token:read', 'token:search'] as const,
      conditions: [
        { attribute: 'container' as const, operator: 'equals' as const, value: '\u20ac'.repeat(9) },
      ],
    }));
    const key = aKey({ sourceAddresses: networks, expiresAtMs: Date.now() });
    await store.create(anApplication({ keys: [key], rules: rules as unknown as Application['rules'] }));
    const { Responses, ConsumedCapacity } = await client.send(
      new BatchGetCommand({
        RequestItems: { Access: { Keys: [credentialKey(key.hash, 0)], ConsistentRead: true } },
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
    const { rights } = readCredentialItem(Responses?.['Access']?.[0] ?? {});
    expect([rules.length, ConsumedCapacity?.[0]?.CapacityUnits]).toEqual([rules.length, 1]);
    seen.add(rights !== undefined);
  }
  expect(seen.size).toBe(2);
});
