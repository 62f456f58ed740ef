import { createTokenStore } from '../../../src/adapters/dynamodb/token-store.ts';
import { sortableTime } from '../../../src/core/shared/position.ts';
import type { StoredToken } from '../../../src/core/tokens/token.ts';
import { aDatabase, type Database } from '../../support/a-database.ts';
import { aStoredToken, TENANT } from '../../support/builders/a-stored-token.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

const TERMS = ['common', 'often', 'third', 'rare'];
const COUNT = 150;
let database: Database;
let store: ReturnType<typeof createTokenStore>;
const tokens: StoredToken[] = [];

/** Tokens of a few instants only, so that positions are close; every fortieth has `rare`. */
beforeAll(async () => {
  database = await aDatabase(3);
  store = createTokenStore(database.tables(), Date.now);
  for (let index = 0; index < COUNT; index += 1) {
    const createdAt = 1_700_000_000_000 + Math.floor(index / 4);
    const position = `${sortableTime(createdAt)}${String(index).padStart(7, '0')}`;
    const terms = TERMS.filter((_, at) => index % ([1, 2, 3, 40][at] ?? 1) === 0);
    tokens.push(aStoredToken({ createdAt, position, terms }));
  }
  for (let at = 0; at < COUNT; at += 25)
    await store.create(tokens.slice(at, at + 25).map((token) => ({ token })));
});
afterAll(() => database.close());

/** The expected result, computed from all tokens in memory. */
function expected(terms: readonly string[], after: string | undefined): string[] {
  return tokens
    .filter((token) => terms.every((term) => token.terms.includes(term)))
    .filter(({ position }) => after === undefined || position < after)
    .sort((a, b) => (a.position < b.position ? 1 : -1))
    .map(({ id }) => id);
}

describe('candidates', () => {
  it('are those of a naive reference in its order, for any terms, from any position, in any number', async () => {
    const wanted = fc.record({
      terms: fc.subarray(TERMS),
      after: fc.option(fc.integer({ min: 0, max: COUNT - 1 }), { nil: undefined }),
      expected: fc.constantFrom(1, 2, 7, 21, 1_000),
    });
    await fc.assert(
      fc.asyncProperty(wanted, async ({ terms, after: at, expected: many }) => {
        const after = at === undefined ? undefined : tokens[at]?.position;
        const found: string[] = [];
        const options = { terms, expected: many, ...(after === undefined ? {} : { after }) };
        for await (const batch of store.candidates(TENANT, options)) found.push(...batch.map(({ id }) => id));
        expect(found).toEqual(expected(terms, after));
      }),
      { numRuns: cases(20) },
    );
  });

  it('candidates of a rare term and a common one cost as much as those of the rare one', async () => {
    database.takeCalls();
    const found: string[] = [];
    for await (const batch of store.candidates(TENANT, { terms: ['common', 'rare'], expected: 21 }))
      found.push(...batch.map(({ id }) => id));
    const calls = database.takeCalls();
    expect([found.length, calls.length]).toEqual([4, 3]);
    expect(calls.reduce((sum, { consumedCapacity = 0 }) => sum + consumedCapacity, 0)).toBeLessThan(5);
  });
});
