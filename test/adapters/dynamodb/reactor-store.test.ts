import { randomUUID } from 'node:crypto';
import { createReactorStore } from '../../../src/adapters/dynamodb/reactor-store.ts';
import { dueReactors } from '../../../src/adapters/dynamodb/due-reactors.ts';
import type { StoredReactor } from '../../../src/core/reactors/reactor.ts';
import { orderedId } from '../../../src/core/shared/ordered-id.ts';
import { aDatabase, type Database, type Fate } from '../../support/a-database.ts';

let database: Database;
beforeAll(async () => {
  database = await aDatabase();
});
afterAll(() => database.close());

const store = (fate?: Fate) => createReactorStore(database.table('Reactors', fate));

const aReactor = (more: Partial<StoredReactor> = {}): StoredReactor => ({
  id: orderedId(Date.now(), randomUUID()),
  tenantId: randomUUID(),
  name: 'Charge',
  createdBy: randomUUID(),
  createdAt: 1,
  codeHash: 'hash',
  sealedCode: Buffer.from('code'),
  sealedConfiguration: Buffer.from('configuration'),
  state: 'ready',
  functionVersion: '1',
  version: 1,
  ...more,
});

const loseThe = (operation: string): Fate => {
  let lost = false;
  return (name) => {
    if (name !== operation || lost) return undefined;
    lost = true;
    return 'lose';
  };
};

describe('the store of reactors', () => {
  it('gives back what was written, and says what stands in the way of a new one', async () => {
    const reactor = aReactor({ applicationId: randomUUID(), tidyAt: 5 });
    expect(await store().create(reactor)).toBe('created');
    expect(await store().find(reactor.tenantId, reactor.id)).toEqual(reactor);
    expect(await store().create({ ...reactor, name: 'Another' })).toEqual(reactor);
    expect(await store().findMany(reactor.tenantId, [reactor.id, randomUUID(), 'x'])).toEqual([reactor]);
  });

  it('hides reactors from other tenants, and takes any text for an id', async () => {
    const reactor = aReactor();
    await store().create(reactor);
    expect(await store().find(randomUUID(), reactor.id)).toBeUndefined();
    for (const id of ['', '#', 'x'.repeat(5_000), '../..'])
      expect(await store().find(reactor.tenantId, id)).toBeUndefined();
  });

  it('writes over the version before it, and over no other', async () => {
    const reactor = aReactor();
    await store().create(reactor);
    const next = { ...reactor, name: 'Next', version: 2 };
    expect(await store().update(next)).toBe(true);
    expect(await store().update({ ...reactor, name: 'Late', version: 2, modifiedAt: 7 })).toBe(false);
    expect((await store().find(reactor.tenantId, reactor.id))?.name).toBe('Next');
  });

  it('knows its own write whose answer was lost', async () => {
    const reactor = aReactor();
    await store().create(reactor);
    const next = { ...reactor, operation: { id: randomUUID(), until: 9 }, version: 2 };
    expect(await store(loseThe('PutItem')).update(next)).toBe(true);
    expect(await store(loseThe('DeleteItem')).delete(next)).toBe(true);
    expect(await store().find(reactor.tenantId, reactor.id)).toBeUndefined();
  });

  it('lets one of many writers win, also within one millisecond', async () => {
    const reactor = aReactor();
    await store().create(reactor);
    const writers = Array.from({ length: 20 }, (_, at) => ({
      ...reactor,
      modifiedAt: 7,
      version: 2,
      sealedConfiguration: Buffer.from(`sealed ${String(at)}`),
    }));
    const won = await Promise.all(writers.map((next) => store().update(next)));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect((await store().find(reactor.tenantId, reactor.id))?.sealedConfiguration).toEqual(
      writers[won.indexOf(true)]?.sealedConfiguration,
    );
  });

  it('deletes the version that was read, and no other', async () => {
    const reactor = aReactor();
    await store().create(reactor);
    expect(await store().delete({ ...reactor, version: 2 })).toBe(false);
    expect(await store().delete(reactor)).toBe(true);
  });

  it('lists newest first, from any place', async () => {
    const tenantId = randomUUID();
    const ids: string[] = [];
    for (let at = 1; at <= 5; at += 1) {
      const reactor = aReactor({ tenantId, id: orderedId(at, randomUUID()) });
      await store().create(reactor);
      ids.unshift(reactor.id);
    }
    const listed = async (after: string | undefined) => {
      const found: string[] = [];
      for await (const batch of store().list(tenantId, after)) found.push(...batch.map(({ id }) => id));
      return found;
    };
    expect(await listed(undefined)).toEqual(ids);
    expect(await listed(ids[1])).toEqual(ids.slice(2));
  });

  it('shows to the sweep those with an operation that should be over, or with versions to remove, and no others', async () => {
    const now = 50_000;
    const due = [
      aReactor({ operation: { id: 'x', until: now - 1 } }),
      aReactor({ tidyAt: now }),
      aReactor({ state: 'deleting', operation: { id: 'y', until: 1 } }),
    ];
    const others = [
      aReactor(),
      aReactor({ operation: { id: 'x', until: now + 1 }, tidyAt: 1 }),
      aReactor({ tidyAt: now + 1 }),
    ];
    for (const reactor of [...due, ...others]) await store().create(reactor);
    const touched = new Set<string>();
    const reactorStore = {
      ...store(),
      find: (_tenantId: string, id: string) => {
        touched.add(id);
        return Promise.resolve(undefined);
      },
    };
    const work = dueReactors(database.table('Reactors'), {
      reactorStore,
      reactorFunctions: {} as never,
      onCold: () => undefined,
      clock: () => now,
    });
    for await (const batch of work.due(now)) for (const record of batch) await record.act();
    for (const { id } of due) expect(touched).toContain(id);
    for (const { id } of others) expect(touched).not.toContain(id);
  });
});
