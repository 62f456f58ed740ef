import { randomBytes } from 'node:crypto';
import { guardedTransactions, type GuardedWrites } from '../../../src/adapters/dynamodb/guarded-writes.ts';
import { createTokenStore } from '../../../src/adapters/dynamodb/token-store.ts';
import { TRANSACTION_BYTES, TRANSACTION_WRITES } from '../../../src/adapters/dynamodb/transaction-size.ts';
import { fc } from '../../../packages/test-kit/src/properties.ts';
import { aDatabase } from '../../support/a-database.ts';
import { aStoredToken, changed, terms } from '../../support/builders/a-stored-token.ts';

const steps = fc
  .array(
    fc.record({
      count: fc.nat(250),
      guardBytes: fc.integer({ min: 500, max: 400_000 }),
      writeBytes: fc.integer({ min: 500, max: 350_000 }),
    }),
    { maxLength: 6 },
  )
  .map((all) =>
    all.map(({ count, ...bytes }, step): GuardedWrites => ({
      ...bytes,
      guard: { ConditionCheck: { TableName: String(step), Key: {}, ConditionExpression: 'guard' } },
      writes: Array.from({ length: count }, (_, at) => ({
        Delete: { TableName: String(step), Key: { at } },
      })),
    })),
  );

it('guarded transactions have every write once and in order, after its guard, and are not too large', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const transactions = guardedTransactions(all);
      const stepOf = (name: string | undefined) => all[Number(name)];
      for (const items of transactions) {
        const guards = items.flatMap(({ ConditionCheck: check }) => check?.TableName ?? []);
        const writes = items.flatMap(({ Delete: write }) => write?.TableName ?? []);
        expect([...new Set(writes)]).toEqual(guards);
        expect(items.length).toBeLessThanOrEqual(TRANSACTION_WRITES);
        const bytes =
          guards.reduce((sum, name) => sum + (stepOf(name)?.guardBytes ?? 0), 0) +
          writes.reduce((sum, name) => sum + (stepOf(name)?.writeBytes ?? 0), 0);
        expect(bytes).toBeLessThanOrEqual(TRANSACTION_BYTES);
      }
      const written = transactions.flat().filter(({ Delete: write }) => write !== undefined);
      expect(written).toEqual(all.flatMap(({ writes }) => writes));
    }),
  );
});

it('an update replaces megabytes of a token with many entries in long containers', async () => {
  const database = await aDatabase();
  const store = createTokenStore(database.tables(), Date.now);
  const containers = Array.from({ length: 10 }, (_, at) => `/${String(at)}${'/segment'.repeat(60)}/`);
  const token = aStoredToken({ containers, terms: terms(90), encryptedData: randomBytes(3_490_000) });
  expect(await store.create([{ token }])).toBe('written');
  const next = changed(token, { terms: terms(90, 'new'), encryptedData: randomBytes(340_000) });
  expect(await store.update(token, { token: next })).toBe('written');
  expect(await database.keys()).toHaveLength(91);
  expect(await store.deleteVersion(next)).toBe(true);
  expect(await database.keys()).toEqual([]);
  await database.close();
});
