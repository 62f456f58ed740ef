import { randomUUID } from 'node:crypto';
import { createReactorStore } from '../../../src/adapters/dynamodb/reactor-store.ts';
import { dueReactors } from '../../../src/adapters/dynamodb/due-reactors.ts';
import { reactorStoreContract } from '../../contracts/reactor-store-contract.ts';
import { aDatabase, type Database, type Fate } from '../../support/a-database.ts';
import { aStoredReactor } from '../../support/builders/a-stored-reactor.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

let database: Database;
beforeAll(async () => {
  database = await aDatabase();
});
afterAll(() => database.close());

const store = (fate?: Fate) => createReactorStore(database.table('Reactors', fate));

const loseThe = (operation: string): Fate => {
  let lost = false;
  return (name) => {
    if (name !== operation || lost) return undefined;
    lost = true;
    return 'lose';
  };
};

reactorStoreContract('in DynamoDB', () => store());

describe('the store of reactors', () => {
  it('recognises its own write whose response was lost', async () => {
    const reactor = aStoredReactor();
    await store().create(reactor, 100);
    const next = { ...reactor, operation: { id: randomUUID(), until: 9 }, version: 2 };
    expect(await store(loseThe('PutItem')).update(next)).toBe(true);
    expect(await store(loseThe('DeleteItem')).delete(next)).toBe(true);
    expect(await store().find(reactor.tenantId, reactor.id)).toBeUndefined();
  });

  it('lists for the sweep exactly the reactors with an overdue operation or with versions to remove', async () => {
    const now = 50_000;
    const due = [
      aStoredReactor({ operation: { id: 'x', until: now - 1 } }),
      aStoredReactor({ tidyAt: now }),
      aStoredReactor({ state: 'deleting', operation: { id: 'y', until: 1 } }),
    ];
    const others = [
      aStoredReactor(),
      aStoredReactor({ operation: { id: 'x', until: now + 1 }, tidyAt: 1 }),
      aStoredReactor({ tidyAt: now + 1 }),
    ];
    for (const reactor of [...due, ...others]) await store().create(reactor, 100);
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
      ...machinePlatform,
      clock: () => now,
    });
    for await (const batch of work.due(now)) for (const record of batch) await record.act();
    for (const { id } of due) expect(touched).toContain(id);
    for (const { id } of others) expect(touched).not.toContain(id);
  });
});
