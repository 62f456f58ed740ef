import { randomUUID } from 'node:crypto';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { createApplicationStore } from '../../../src/adapters/dynamodb/application-store.ts';
import { createKey, deleteKey } from '../../../src/core/applications/manage-keys.ts';
import { keysOfProxy } from '../../../src/core/stored-proxies/keys-of-proxy.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import { aCaller } from '../../support/builders/a-caller.ts';
import { createProxyStore } from '../../../src/adapters/dynamodb/proxy-store.ts';
import { createKeyUses } from '../../../src/adapters/dynamodb/key-uses.ts';
import type { ProxyStore } from '../../../src/core/stored-proxies/proxy-store.ts';
import type { ApplicationKey } from '../../../src/core/applications/application-key.ts';
import { aDatabase, type Database } from '../../support/a-database.ts';
import { aKey, aProxy, aVersion } from '../../support/builders/a-stored-proxy.ts';

let database: Database;
let store: ProxyStore;
beforeAll(async () => {
  database = await aDatabase();
  store = createProxyStore(database.table('Access'));
});
afterAll(() => database.close());

describe('the store of proxies', () => {
  it('writes a proxy once, and returns it as it was written', async () => {
    const proxy = aProxy();
    expect([await store.create(proxy, aVersion(1)), await store.create(proxy, aVersion(1))]).toEqual([
      true,
      false,
    ]);
    expect(await store.find(proxy.tenantId, proxy.id)).toEqual(proxy);
    expect(await store.find(randomUUID(), proxy.id)).toBeUndefined();
    expect(await store.find(proxy.tenantId, 'no id')).toBeUndefined();
    expect(await store.findMany(proxy.tenantId, [proxy.id, randomUUID(), 'no id'])).toEqual([proxy]);
  });

  it('updates and deletes only what it read', async () => {
    const proxy = aProxy();
    await store.create(proxy, aVersion(1));
    const next = { ...proxy, definitionVersion: 2, version: 8 };
    expect(await store.update(proxy, next, [aVersion(2)])).toBe(true);
    expect(await store.update(proxy, { ...next, version: 9 }, [])).toBe(false);
    expect(await store.delete(proxy)).toBe(false);
    expect((await store.versions(proxy)).map(({ version }) => version)).toEqual([2, 1]);
    expect(await store.delete(next)).toBe(true);
    expect([
      await store.find(proxy.tenantId, proxy.id),
      await store.versions(proxy),
      await createApplicationStore(database.table('Access')).forgetRetiredKeys(proxy.tenantId, 10),
      (await database.keys()).filter((key) => key.includes(proxy.tenantId)),
    ]).toEqual([undefined, [], 1, []]);
  });

  it('has at most 500 proxies of a tenant, and corrects a count that says so wrongly', async () => {
    const proxy = aProxy();
    const { tenantId } = proxy;
    const table = database.table('Access');
    const { client, name } = table;
    let now = 7_200_000;
    const counting = createProxyStore({ ...table, platform: { ...table.platform, clock: () => now } });
    const plant = (items: readonly object[]) =>
      client.send(
        new BatchWriteCommand({ RequestItems: { [name]: items.map((Item) => ({ PutRequest: { Item } })) } }),
      );
    const wrong = { pk: tenantId, sk: 'proxy-count', total: 500, countedAt: now, version: 1 };
    await plant([wrong]);
    now += 3_599_999;
    expect(await counting.create(proxy, aVersion(1))).toBe(false);
    now += 1;
    expect(await counting.create(proxy, aVersion(1))).toBe(true);
    expect(await counting.delete(proxy)).toBe(true);
    for (let from = 0; from < 500; from += 25)
      await plant(
        Array.from({ length: 25 }, (_, at) => ({ pk: tenantId, sk: `proxy-name#${String(from + at)}` })),
      );
    await plant([{ ...wrong, countedAt: 0 }]);
    expect(await counting.create(proxy, aVersion(1))).toBe(false);
    expect(await store.find(tenantId, proxy.id)).toBeUndefined();
  });

  it('remembers each deleted key for 30 days, up to 100 of a proxy, and then makes no further one', async () => {
    let now = database.table('Access').platform.clock();
    const table = database.table('Access');
    const platform = { ...table.platform, clock: () => now };
    const proxyStore = createProxyStore({ ...table, platform });
    let proxy = aProxy();
    await proxyStore.create(proxy, aVersion(1));
    const change = async (keys: readonly ApplicationKey[]) => {
      const next = { ...proxy, keys, version: proxy.version + 1 };
      expect(await proxyStore.update(proxy, next, [])).toBe(true);
      proxy = next;
    };
    const { tenantId, id, keys } = proxy;
    const [first = aKey('first')] = keys;
    expect([await proxyStore.retiredKey(first.hash), await proxyStore.countRetiredKeys(proxy)]).toEqual([
      undefined,
      0,
    ]);
    await change([]);
    expect(await proxyStore.retiredKey(first.hash)).toEqual({ tenantId, proxyId: id, keyId: first.id });
    for (let times = 0; times < 33; times += 1) {
      await change([1, 2, 3].map(() => aKey(randomUUID())));
      await change([]);
    }
    expect(await proxyStore.countRetiredKeys(proxy)).toBe(100);
    const deps = { ...platform, proxyStore } as unknown as Parameters<typeof keysOfProxy>[0];
    const manager = aCaller({ tenantId, type: 'management', permissions: ['proxy:update'] });
    const owned = keysOfProxy(deps, manager, id);
    const create = () => createKey(platform, owned, { sourceAddresses: [] }, randomIdentity(platform.random));
    await change([aKey(randomUUID())]);
    await expect(create()).rejects.toMatchObject({ code: 'conflict' });
    // Deleting never fails.
    await deleteKey(platform, owned, proxy.keys[0]?.id ?? '');
    now += 31 * 86_400_000;
    expect(await proxyStore.retiredKey(first.hash)).toBeUndefined();
    await create();
    expect(await proxyStore.countRetiredKeys(proxy)).toBe(0);
  });

  it('has the last twenty versions, and lists proxies without them, the newest first', async () => {
    const tenantId = randomUUID();
    const ids = ['01a21af1-2d97-7839-978f-874b727a2028', '01a21af1-2d98-7839-978f-874b727a2028'];
    const [first, second] = ids.map((id) => aProxy({ id, tenantId }));
    if (first === undefined || second === undefined) throw new Error('test: no proxies');
    await store.create(first, aVersion(1));
    await store.create(second, aVersion(1));
    let last = first;
    for (let version = 2; version <= 25; version += 1) {
      const next = { ...last, definitionVersion: version, version: last.version + 1 };
      await store.update(last, next, [aVersion(version)]);
      last = next;
    }
    expect((await store.versions(first)).map(({ version }) => version)).toEqual(
      Array.from({ length: 20 }, (_, at) => 25 - at),
    );
    const listed = async (after?: string) => {
      const found: string[] = [];
      for await (const batch of store.list(tenantId, after)) found.push(...batch.map(({ id }) => id));
      return found;
    };
    expect(await listed()).toEqual(ids.toReversed());
    expect(await listed(ids[1])).toEqual([ids[0]]);
  });

  it('remembers the day of the last use of a key for as long as the proxy has it', async () => {
    const key = aKey(randomUUID());
    const other = aKey(randomUUID());
    const proxy = aProxy({ keys: [key] });
    await store.create(proxy, aVersion(1));
    const uses = createKeyUses(database.table('Access'));
    expect(await store.lastUses(proxy)).toEqual(new Map());
    await uses.note(key.hash, '2026-11-27');
    const next = { ...proxy, keys: [key, other], version: 8 };
    await store.update(proxy, next, []);
    expect(await store.lastUses(next)).toEqual(new Map([[key.id, '2026-11-27']]));
    const without = { ...next, keys: [other], version: 9 };
    await store.update(next, without, []);
    await uses.note(key.hash, '2026-11-28');
    expect(await store.lastUses(next)).toEqual(new Map());
  });
});
