import { randomBytes } from 'node:crypto';
import { dueCvcs } from '../../../src/adapters/dynamodb/due-tokens.ts';
import { createIdempotencyStore } from '../../../src/adapters/dynamodb/idempotency-store.ts';
import { idempotencyStoreContract } from '../../contracts/idempotency-store-contract.ts';
import { aDatabase, type Database, type Fate } from '../../support/a-database.ts';
import { TENANT } from '../../support/builders/a-stored-token.ts';

const scope = { tenantId: TENANT, request: 'hash' };
const BODY = Buffer.alloc(32, 1);
const OTHER_BODY = Buffer.alloc(32, 2);
const NOW = 1_700_000_000_000;
const DAY = 24 * 60 * 60 * 1000;
/** A claim that is made at this time has a lease of a minute. */
const at = (now: number) => ({ now, leaseUntil: now + 60_000 });
let database: Database;

const aStore = (fate?: Fate) => {
  return createIdempotencyStore(database.table('Ephemeral', fate));
};

async function claimed(store = aStore(), now = NOW) {
  const claim = await store.claim(scope, BODY, at(now));
  if (claim.state !== 'claimed') throw new Error(claim.state);
  return claim;
}

beforeEach(async () => {
  database = await aDatabase();
});
afterEach(() => database.close());

idempotencyStoreContract('in DynamoDB', () => aStore());

describe('a claim', () => {
  it('recognises itself when its response was lost, also at a takeover', async () => {
    const losing: Fate = (operation, nth) => (nth === 1 || operation === 'UpdateItem' ? 'lose' : undefined);
    const loseFirst: Fate = (_operation, nth) => (nth === 1 ? 'lose' : undefined);
    const first = await claimed(aStore(loseFirst));
    await aStore().keep(scope, first.attempt, Buffer.from('x'), { now: NOW });
    expect((await aStore().claim(scope, BODY, at(NOW))).state).toBe('stored');
    const other = { ...scope, request: 'other' };
    await aStore().claim(other, BODY, at(NOW));
    let updates = 0;
    const loseUpdate: Fate = (operation, nth, input) =>
      operation === 'UpdateItem' && (updates += 1) === 1 ? losing(operation, nth, input) : undefined;
    expect((await aStore(loseUpdate).claim(other, BODY, at(NOW + 61_000))).state).toBe('claimed');
  });
});

describe('a claim with another body', () => {
  it('starts with another seed after the first claim was released, also when its response was lost', async () => {
    const first = await claimed();
    await aStore().release(scope, first.attempt, false);
    const loseFirst: Fate = (operation, nth) => (operation === 'PutItem' && nth === 2 ? 'lose' : undefined);
    const second = await aStore(loseFirst).claim(scope, OTHER_BODY, at(NOW + 1));
    if (second.state !== 'claimed') throw new Error(second.state);
    expect(second.seed.equals(first.seed)).toBe(false);
    expect(await aStore().claim(scope, BODY, at(NOW + 2))).toEqual({ state: 'other_body' });
  });
});

describe('a stored response', () => {
  it.each([10, 350_000, 350_001, 6_500_000])(
    'a stored response of %d bytes is replayed for a day',
    async (bytes) => {
      const { attempt } = await claimed();
      const response = randomBytes(bytes);
      await aStore().keep(scope, attempt, response, { now: NOW });
      const replayed = await aStore().claim(scope, BODY, at(NOW + DAY - 1));
      expect(replayed.state === 'stored' && replayed.encryptedResponse.equals(response)).toBe(true);
      expect((await aStore().claim(scope, BODY, at(NOW + DAY))).state).toBe('claimed');
    },
  );

  it('a stored response with missing parts is not replayed, and another attempt stores its own', async () => {
    const { attempt } = await claimed();
    const dying: Fate = (_operation, nth) => (nth === 2 ? 'die' : undefined);
    await expect(aStore(dying).keep(scope, attempt, randomBytes(800_000), { now: NOW })).rejects.toThrow(
      'ended',
    );
    const second = await claimed(aStore(), NOW + 61_000);
    const response = randomBytes(800_000);
    await aStore().keep(scope, second.attempt, response, { now: NOW });
    const replayed = await aStore().claim(scope, BODY, at(NOW + 1));
    expect(replayed.state === 'stored' && replayed.encryptedResponse.equals(response)).toBe(true);
  });
});

describe('an operation that must not run twice', () => {
  it.each([10, 800_000])('replays a response of %d bytes only until its end', async (bytes) => {
    const { attempt } = await claimed();
    const response = randomBytes(bytes);
    await aStore().beginRun(scope, attempt);
    await aStore().keep(scope, attempt, response, { now: NOW, until: NOW + 1_000 });
    const replayed = await aStore().claim(scope, BODY, at(NOW + 999));
    expect(replayed.state === 'stored' && replayed.encryptedResponse.equals(response)).toBe(true);
    expect(await aStore().claim(scope, BODY, at(NOW + 1_000))).toEqual({ state: 'ran' });
  });

  it('leaves no response behind after the sweep', async () => {
    const { attempt } = await claimed();
    await aStore().keep(scope, attempt, randomBytes(800_000), { now: NOW, until: NOW + 1_000 });
    const responses = async () => (await database.keys()).filter((key) => key.includes('response#'));
    expect(await responses()).toHaveLength(3);
    const work = dueCvcs(database.tables(), () => NOW + 1_000);
    for await (const records of work.due(NOW + 1_000)) for (const record of records) await record.act();
    expect(await responses()).toEqual([]);
    expect(await aStore().claim(scope, BODY, at(NOW + 1))).toEqual({ state: 'ran' });
  });
});
