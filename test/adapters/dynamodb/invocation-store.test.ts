import { randomBytes, randomUUID } from 'node:crypto';
import { createInvocationStore } from '../../../src/adapters/dynamodb/invocation-store.ts';
import type { Invocation } from '../../../src/core/reactors/invocation.ts';
import { aDatabase, type Database, type Fate } from '../../support/a-database.ts';

let database: Database;
beforeAll(async () => {
  database = await aDatabase();
});
afterAll(() => database.close());

const store = (fate?: Fate) =>
  createInvocationStore(database.table('Reactors', fate), database.table('Ephemeral', fate));

const anInvocation = (more: Partial<Invocation> = {}): Invocation => ({
  id: randomUUID(),
  tenantId: randomUUID(),
  reactorId: randomUUID(),
  credentialId: randomUUID(),
  state: 'queued',
  createdAt: Date.now(),
  delivery: 'none',
  attempts: 0,
  dueAt: 1,
  readableUntil: 2,
  ...more,
});

const LATER = Date.now() + 60_000;

describe('the store of invocations', () => {
  it('writes a new one once', async () => {
    const invocation = anInvocation();
    expect(await store().create(invocation)).toBe(true);
    expect(await store().create(invocation)).toBe(false);
    expect(await store().find(invocation)).toEqual(invocation);
    expect(await store().find({ ...invocation, tenantId: randomUUID() })).toBeUndefined();
  });

  it('lets exactly one of many claim it', async () => {
    const invocation = anInvocation();
    await store().create(invocation);
    const claims = Array.from({ length: 20 }, () => ({
      ...invocation,
      state: 'running' as const,
      runner: randomUUID(),
      runUntil: 5,
      dueAt: 5,
    }));
    const won = await Promise.all(claims.map((claim) => store().update(invocation, claim)));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect((await store().find(invocation))?.runner).toBe(claims[won.indexOf(true)]?.runner);
  });

  it('lets exactly one of many senders have a try, also within one millisecond', async () => {
    const invocation = anInvocation({ state: 'succeeded', delivery: 'pending' });
    await store().create(invocation);
    const claims = Array.from({ length: 20 }, () => ({
      ...invocation,
      attempts: 1,
      sender: randomUUID(),
      dueAt: 9,
    }));
    const won = await Promise.all(claims.map((claim) => store().update(invocation, claim)));
    expect(won.filter(Boolean)).toHaveLength(1);
  });

  it('takes its own claim for its own when the answer was lost', async () => {
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

  it.each([1, 349_999, 350_000, 350_001, 5_000_000])('keeps content of %i bytes', async (size) => {
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

  it('finds parked deliveries, the oldest first, by one query', async () => {
    const parked = [3, 1, 2].map((dueAt) =>
      anInvocation({ state: 'failed', delivery: 'parked', attempts: 10, dueAt }),
    );
    for (const each of [...parked, anInvocation({ delivery: 'pending', state: 'failed' })])
      await store().create(each);
    const found: Invocation[] = [];
    for await (const batch of store().parked()) found.push(...batch);
    expect(found.map(({ dueAt }) => dueAt)).toEqual([1, 2, 3]);
  });
});
