import { randomBytes, randomUUID } from 'node:crypto';
import { createInvocationStore } from '../../../src/adapters/dynamodb/invocation-store.ts';
import type { Invocation } from '../../../src/core/reactors/invocation.ts';
import { invocationStoreContract } from '../../contracts/invocation-store-contract.ts';
import { aDatabase, type Database, type Fate } from '../../support/a-database.ts';
import { anInvocation } from '../../support/builders/an-invocation.ts';

let database: Database;
beforeAll(async () => {
  database = await aDatabase();
});
afterAll(() => database.close());

const store = (fate?: Fate) =>
  createInvocationStore(database.table('Reactors', fate), database.table('Ephemeral', fate));

const LATER = Date.now() + 60_000;

invocationStoreContract('in DynamoDB', () => store());

describe('the store of invocations', () => {
  it('recognises its own claim when the response was lost', async () => {
    const invocation = anInvocation();
    await store().create(invocation);
    const claim = { ...invocation, state: 'running' as const, runner: randomUUID(), runUntil: 5, dueAt: 5 };
    let lost = false;
    const fate: Fate = (name) => {
      if (name !== 'PutItem' || lost) return undefined;
      lost = true;
      return 'lose';
    };
    expect(await store(fate).update(invocation, claim)).toBe(true);
    expect(lost).toBe(true);
  });

  it('does not return a delivery as parked that was sent again after the index was read', async () => {
    const parked = anInvocation({ state: 'failed', delivery: 'parked', attempts: 10 });
    await store().create(parked);
    let read = 0;
    const fate: Fate = async (name) => {
      if (name !== 'BatchGetItem') return undefined;
      read += 1;
      await store().resend(parked, { ...parked, delivery: 'pending', attempts: 0 });
      return undefined;
    };
    const found: Invocation[] = [];
    for await (const batch of store(fate).parked(parked, undefined, 10)) found.push(...batch);
    expect([read, found]).toEqual([1, []]);
  });

  it.each([1, 349_999, 350_000, 350_001, 5_000_000])('stores content of %i bytes', async (size) => {
    const invocation = anInvocation();
    const content = randomBytes(size);
    await store().putContent(invocation, 'result', content, { until: LATER, isSwept: false });
    expect((await store().content(invocation, 'result'))?.equals(content)).toBe(true);
    expect(await store().content(invocation, 'payload')).toBeUndefined();
  });

  it('leaves nothing behind', async () => {
    const invocation = anInvocation();
    await store().create(invocation);
    for (const content of ['payload', 'result'] as const)
      await store().putContent(invocation, content, randomBytes(800_000), { until: LATER, isSwept: false });
    await store().remove(invocation);
    expect((await database.keys()).filter((key) => key.includes(invocation.id))).toEqual([]);
  });
});
