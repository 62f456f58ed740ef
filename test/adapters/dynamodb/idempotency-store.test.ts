import { randomBytes } from 'node:crypto';
import { createIdempotencyStore } from '../../../adapters/dynamodb/idempotency-store.ts';
import { aDatabase, type Database, type Fate } from '../../support/a-database.ts';
import { TENANT } from './a-stored-token.ts';

const scope = { tenantId: TENANT, request: 'hash' };
const NOW = 1_700_000_000_000;
const DAY = 24 * 60 * 60 * 1000;
let database: Database;

const aStore = (fate?: Fate) => {
  const { client, ephemeralTable } = database.tables(fate);
  return createIdempotencyStore({ client, name: ephemeralTable });
};

async function claimed(store = aStore(), now = NOW) {
  const claim = await store.claim(scope, now);
  if (claim.state !== 'claimed') throw new Error(claim.state);
  return claim;
}

beforeEach(async () => {
  database = await aDatabase();
});
afterEach(() => database.close());

describe('a claim', () => {
  it('is held by one attempt, and taken over with its seed when the lease is over or it was released', async () => {
    const first = await claimed();
    expect(await aStore().claim(scope, NOW + 59_000)).toEqual({ state: 'running' });
    const second = await claimed(aStore(), NOW + 61_000);
    expect([second.seed.equals(first.seed), second.attempt === first.attempt]).toEqual([true, false]);
    await aStore().release(scope, second.attempt);
    expect((await claimed(aStore(), NOW + 61_001)).seed).toEqual(first.seed);
  });

  it('is recognised when the answer to it was lost, also to a takeover', async () => {
    const losing: Fate = (operation, nth) => (nth === 1 || operation === 'UpdateItem' ? 'lose' : undefined);
    const loseFirst: Fate = (_operation, nth) => (nth === 1 ? 'lose' : undefined);
    const first = await claimed(aStore(loseFirst));
    await aStore().keep(scope, first.attempt, Buffer.from('x'), NOW);
    expect((await aStore().claim(scope, NOW)).state).toBe('answered');
    const other = { ...scope, request: 'other' };
    await aStore().claim(other, NOW);
    let updates = 0;
    const loseUpdate: Fate = (operation, nth) =>
      operation === 'UpdateItem' && (updates += 1) === 1 ? losing(operation, nth) : undefined;
    expect((await aStore(loseUpdate).claim(other, NOW + 61_000)).state).toBe('claimed');
  });
});

describe('a kept answer', () => {
  it.each([10, 390_000, 390_001, 6_500_000])('of %d bytes is replayed for a day', async (bytes) => {
    const { attempt } = await claimed();
    const answer = randomBytes(bytes);
    await aStore().keep(scope, attempt, answer, NOW);
    const replayed = await aStore().claim(scope, NOW + DAY - 1);
    expect(replayed.state === 'answered' && replayed.sealedAnswer.equals(answer)).toBe(true);
    expect((await aStore().claim(scope, NOW + DAY)).state).toBe('claimed');
  });

  it('whose parts were not all written is not there, and another attempt keeps its own', async () => {
    const { attempt } = await claimed();
    const dying: Fate = (_operation, nth) => (nth === 2 ? 'die' : undefined);
    await expect(aStore(dying).keep(scope, attempt, randomBytes(800_000), NOW)).rejects.toThrow('ended');
    const second = await claimed(aStore(), NOW + 61_000);
    const answer = randomBytes(800_000);
    await aStore().keep(scope, second.attempt, answer, NOW);
    const replayed = await aStore().claim(scope, NOW + 1);
    expect(replayed.state === 'answered' && replayed.sealedAnswer.equals(answer)).toBe(true);
  });

  it('of an attempt that lost its claim is not kept', async () => {
    const first = await claimed();
    const second = await claimed(aStore(), NOW + 61_000);
    await aStore().keep(scope, first.attempt, Buffer.from('late'), NOW);
    await aStore().keep(scope, second.attempt, Buffer.from('good'), NOW);
    expect(await aStore().claim(scope, NOW + 1)).toMatchObject({ sealedAnswer: Buffer.from('good') });
  });
});
