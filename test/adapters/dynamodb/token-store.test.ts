import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { DeleteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { dueCvcs, dueTokens } from '../../../src/adapters/dynamodb/due-tokens.ts';
import { createTokenStore } from '../../../src/adapters/dynamodb/token-store.ts';
import { writeIdOfPart } from '../../../src/core/shared/write-identity.ts';
import { sweep, type DueRecord } from '../../../src/core/sweep/sweep.ts';
import { serviceIdOf } from '../../../src/core/tokens/service-id.ts';
import type { UnprovenTokenStore } from '../../../src/core/tokens/token-store.ts';
import type { StoredToken, UnprovenToken } from '../../../src/core/tokens/token.ts';
import { tokenStoreContract } from '../../contracts/token-store-contract.ts';
import { aDatabase, type Database, type Fate } from '../../support/a-database.ts';
import {
  aCvc,
  aFullToken,
  aStoredToken,
  changed,
  TENANT,
  terms,
} from '../../support/builders/a-stored-token.ts';

let database: Database;
let now = Date.now();
const clock = () => now;

const aStore = (fate?: Fate) => createTokenStore(database.tables(fate), clock);

/** Loses the response of the n-th attempt at a call, or ends the process before the n-th call. */
const losing =
  (lost: number): Fate =>
  (_operation, nth) =>
    nth === lost ? 'lose' : undefined;
const dyingAt =
  (last: number): Fate =>
  (_operation, nth) =>
    nth >= last ? 'die' : undefined;

/**
 * Breaks the first call of a write, then the second of another one, until a write has no call left
 * to break. Returns how many were broken.
 */
async function inTurn(
  fateOf: (nth: number) => Fate,
  attempt: (store: UnprovenTokenStore, broken: number) => Promise<void>,
): Promise<number> {
  for (let broken = 1; ; broken += 1) {
    const fate = fateOf(broken);
    let hits = 0;
    const store = aStore(async (...call) => {
      const outcome = await fate(...call);
      if (outcome !== undefined) hits += 1;
      return outcome;
    });
    await attempt(store, broken);
    if (hits === 0) return broken - 1;
  }
}

/** One run over everything that is due, in a separate function. */
async function sweepAll() {
  const works = [dueCvcs(database.tables(), clock), dueTokens(database.tables(), clock)];
  const failures: unknown[] = [];
  const deps = { clock, deadline: now + 60_000, onFailure: (error: unknown) => failures.push(error) };
  const reports = [];
  for (const work of works) reports.push(await sweep(work, deps));
  expect(failures).toEqual([]);
  return reports;
}

const hashOf = (bytes: Uint8Array | undefined) => bytes && createHash('sha256').update(bytes).digest('hex');

/** Replaces large members by hashes, because jest compares large buffers byte by byte, slowly. */
const digested = (token: UnprovenToken | undefined) =>
  token && {
    ...token,
    encryptedData: hashOf(token.encryptedData),
    encryptedDetails: hashOf(token.encryptedDetails),
  };

async function visible(store = aStore()): Promise<string[]> {
  const ids: string[] = [];
  for await (const batch of store.candidates(TENANT, { terms: [], expected: 100 }))
    ids.push(...batch.map(({ id }) => id));
  return ids;
}

async function idsUnder(term: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const batch of aStore().candidates(TENANT, { terms: [term], expected: 10 }))
    ids.push(...batch.map(({ id }) => id));
  return ids;
}

beforeEach(async () => {
  now = Date.now();
  database = await aDatabase();
});
afterEach(() => database.close());

tokenStoreContract('in DynamoDB', () => aStore());

describe('a token', () => {
  it('is read as it was written, small or large, and deleted with all its items', async () => {
    const store = aStore();
    const writes = [{ token: aStoredToken() }, aFullToken()];
    expect(await store.create(writes)).toBe('written');
    for (const { token } of writes)
      expect(digested(await store.find(TENANT, token.id))).toEqual(digested(token));
    expect(await store.findMany(TENANT, [...writes.map(({ token }) => token.id), 'nothing'])).toHaveLength(2);
    for (const { token } of writes) expect(await store.deleteVersion(token)).toBe(true);
    expect(await database.keys()).toEqual([]);
  });

  it('is stored with its details for any size of both', async () => {
    const store = aStore();
    for (const [data, details] of [
      [349_000, 0],
      [349_000, 110_000],
      [10, 300_000],
      [3_500_000, 250_000],
    ] as const) {
      const token = aStoredToken({
        encryptedData: randomBytes(data),
        encryptedDetails: randomBytes(details),
      });
      expect(await store.create([{ token }])).toBe('written');
      expect(digested(await store.find(TENANT, token.id))).toEqual(digested(token));
      const next = changed(token, { encryptedData: randomBytes(data) });
      expect(await store.update(token, { token: next })).toBe('written');
      expect(digested(await store.find(TENANT, token.id))).toEqual(digested(next));
      expect(await store.deleteVersion(next)).toBe(true);
    }
    expect(await database.keys()).toEqual([]);
  });

  it('is stored under the names of its record, and with no other attributes', async () => {
    const token = aStoredToken({ terms: ['term'], expiration: { at: now + 1_000, offsetMinutes: 60 } });
    await aStore().create([{ token: Object.assign({ encryptedCvc: randomBytes(60) }, token) }]);
    const { client } = database.tables();
    const attributesOf = async (pk: string, sk: string) => {
      const Key = { pk, sk };
      const { Item } = await client.send(new GetCommand({ TableName: 'Tokens', Key }));
      return Object.keys(Item ?? {}).toSorted();
    };
    const { tenantId: _tenantId, id: _id, matchHash: _matchHash, ...stored } = token;
    const keys = ['pk', 'sk', 'listPk', 'listSk', 'matchSk', 'duePk', 'dueSk', 'ttl'];
    const members = [...Object.keys(stored), 'dataBytes'];
    expect(await attributesOf(`${TENANT}#${token.id}`, 'token')).toEqual([...keys, ...members].toSorted());
    const shown = ['id', 'type', 'containers', 'expiration', 'hasMask'];
    const entry = await attributesOf(`${TENANT}#term#term`, token.position);
    expect(entry).toEqual(['pk', 'sk', 'ttl', ...shown].toSorted());
  });

  it('applies exactly one of many concurrent updates, with its entries', async () => {
    const store = aStore();
    const first = aStoredToken({ terms: ['before'] });
    await store.create([{ token: first }]);
    const nexts = Array.from({ length: 10 }, (_, index) =>
      changed(first, { terms: [`after${String(index)}`] }),
    );
    const outcomes = await Promise.all(nexts.map((token) => store.update(first, { token })));
    expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1);
    const winner = nexts[outcomes.indexOf('written')];
    expect(await store.find(TENANT, first.id)).toEqual(winner);
    expect((await database.keys()).filter((key) => key.includes('#term#'))).toHaveLength(1);
  });

  it('whose data DynamoDB itself has expired is missing, and still has its id', async () => {
    const store = aStore();
    const token = aStoredToken({
      encryptedData: randomBytes(800_000),
      expiration: { at: now + 1_000, offsetMinutes: 0 },
    });
    await store.create([{ token }]);
    now += 2_000;
    const { client } = database.tables();
    const Key = { pk: `${TENANT}#${token.id}`, sk: 'data#1#01' };
    await client.send(new DeleteCommand({ TableName: 'Tokens', Key }));
    expect(await store.find(TENANT, token.id)).toBeUndefined();
    const other = { token: aStoredToken({ id: token.id }) };
    expect(await store.create([other])).toEqual({
      idTakenBy: { id: token.id, writeId: token.writeId },
    });
  });
});

it('a create that arrives once more after the deletion of its token makes no token', async () => {
  const store = aStore();
  for (const token of [aStoredToken(), aStoredToken({ terms: terms(2) })]) {
    expect(await store.create([{ token }])).toBe('written');
    if (token.terms.length === 0)
      expect(await store.deleteIfStandalone(TENANT, token.id, now)).toBe('deleted');
    else expect(await store.deleteVersion(token)).toBe(true);
    const { id, writeId } = token;
    expect(await store.create([{ token }])).toEqual({ idTakenBy: { id, writeId } });
    expect(await store.find(TENANT, token.id)).toBeUndefined();
  }
});

it('what a deletion leaves of a token is its keys, its mark and the write id of its create', async () => {
  const { client } = database.tables();
  const store = aStore();
  const plain = aStoredToken({ expiration: { at: now + 1_000, offsetMinutes: 60 }, matchHash: 'match' });
  const changedSince = { ...aStoredToken(), createWriteId: randomBytes(12) };
  for (const token of [plain, changedSince, aStoredToken({ id: 'chosen' })]) {
    expect(await store.create([{ token }])).toBe('written');
    expect(await store.deleteIfStandalone(TENANT, token.id, now)).toBe('deleted');
    const Key = { pk: `${TENANT}#${token.id}`, sk: 'token' };
    const { Item } = await client.send(new GetCommand({ TableName: 'Tokens', Key }));
    const mark = token.id === 'chosen' ? ['listPk', 'listSk'] : ['ttl'];
    expect(Object.keys(Item ?? {}).toSorted()).toEqual(
      ['pk', 'sk', 'isGone', 'createWriteId', ...mark].toSorted(),
    );
  }
});

describe('a lost response', () => {
  const recognised = async (token: UnprovenToken, outcome: unknown) => {
    const isOwn =
      outcome === 'written' ||
      (outcome as { idTakenBy: UnprovenToken }).idTakenBy.writeId.equals(token.writeId);
    expect(isOwn).toBe(true);
    expect(digested(await aStore().find(TENANT, token.id))).toEqual(digested(token));
  };

  it('a lost response of a create is recognised, for a plain token and for one with everything', async () => {
    for (const write of [{ token: aStoredToken() }, aFullToken()])
      await recognised(write.token, await aStore(losing(1)).create([write]));
  });

  it('a lost response of each step of a large create is recognised', async () => {
    const steps = await inTurn(losing, async (store) => {
      const token = aStoredToken({ terms: terms(130) });
      let outcome = await store.create([{ token }]);
      // The core retries after `changed`, with the same write id.
      if (outcome === 'changed') outcome = await store.create([{ token }]);
      await recognised(token, outcome);
      await aStore().deleteVersion(token);
      expect(await database.keys()).toEqual([]);
    });
    expect(steps).toBeGreaterThanOrEqual(4);
  });

  it('a lost response of each step of a large update is recognised', async () => {
    const steps = await inTurn(losing, async (store) => {
      const first = aStoredToken({ terms: terms(80) });
      await aStore().create([{ token: first }]);
      const next = changed(first, { terms: terms(80, 'other') });
      const outcome = await store.update(first, { token: next });
      expect(['written', 'changed']).toContain(outcome);
      expect(await aStore().find(TENANT, first.id)).toEqual(next);
      expect([await idsUnder('term7'), await idsUnder('other7')]).toEqual([[], [first.id]]);
      expect(await aStore().deleteVersion(next)).toBe(true);
      expect(await database.keys()).toEqual([]);
    });
    expect(steps).toBeGreaterThanOrEqual(5);
  });
});

describe('a writer that dies', () => {
  it('a writer that dies between the steps of a create leaves nothing visible, and nothing that the sweep does not remove', async () => {
    const deaths = await inTurn(dyingAt, async (dying, last) => {
      const writes = [aFullToken({ terms: terms(60) }), aFullToken({ terms: terms(60, 'other') })];
      const outcome = await dying.create(writes).catch(() => 'died');
      if (outcome === 'written') {
        for (const { token } of writes) expect(await aStore().deleteVersion(token)).toBe(true);
        return;
      }
      expect(await visible()).toEqual([]);
      expect(
        await aStore().findMany(
          TENANT,
          writes.map(({ token }) => token.id),
        ),
      ).toEqual([]);
      now += 61_000;
      await sweepAll();
      expect([last, await database.keys()]).toEqual([last, []]);
    });
    expect(deaths).toBeGreaterThanOrEqual(4);
  });

  it('a writer that dies between the steps of an update leaves the old or the new token, found by its own terms only, and free to change', async () => {
    const deaths = await inTurn(dyingAt, async (dying, last) => {
      const first = aStoredToken({ terms: terms(80) });
      await aStore().create([{ token: first }]);
      const next = changed(first, { terms: [...terms(40), ...terms(40, 'other')], containers: ['/moved/'] });
      await dying.update(first, { token: next }).catch(() => 'died');
      now += 61_000;
      await sweepAll();
      const current = await aStore().find(TENANT, first.id);
      expect([first.version, next.version]).toContain(current?.version);
      const entries = (await database.keys()).filter((key) => key.includes('#term#')).length;
      expect([last, entries]).toEqual([last, current?.terms.length]);
      for await (const [candidate] of aStore().candidates(TENANT, { terms: ['term3'], expected: 5 }))
        expect(candidate?.containers).toEqual(current?.containers);
      const after = changed(current ?? first);
      expect(await aStore().update(current ?? first, { token: after })).toBe('written');
      expect(await aStore().deleteVersion(after)).toBe(true);
      expect(await database.keys()).toEqual([]);
    });
    expect(deaths).toBeGreaterThanOrEqual(5);
  });

  it('a writer that dies between the steps of replacing megabytes leaves all of the old data or all of the new', async () => {
    const deaths = await inTurn(dyingAt, async (dying) => {
      // Both do not fit into one transaction. The old data has two parts to remove.
      const first = aStoredToken({ encryptedData: randomBytes(400_000) });
      await aStore().create([{ token: first }]);
      const next = changed(first, { encryptedData: randomBytes(3_500_001) });
      await dying.update(first, { token: next }).catch(() => 'died');
      now += 61_000;
      await sweepAll();
      const current = await aStore().find(TENANT, first.id);
      const left = [first, next].find(({ writeId }) => current?.writeId.equals(writeId));
      expect(digested(current)).toEqual(digested(left));
      expect(await database.keys()).toHaveLength(left === first ? 3 : 12);
      if (current !== undefined) expect(await aStore().deleteVersion(current)).toBe(true);
      expect(await database.keys()).toEqual([]);
    });
    expect(deaths).toBeGreaterThanOrEqual(5);
  });

  it('a writer that dies between the steps of a delete leaves the token deleted or not, and the sweep removes the rest', async () => {
    const deaths = await inTurn(dyingAt, async (dying, last) => {
      const write = aFullToken({ terms: terms(120) });
      await aStore().create([write]);
      await dying.deleteVersion(write.token).catch(() => 'died');
      await sweepAll();
      const rest = await aStore().find(TENANT, write.token.id);
      if (rest !== undefined) expect(await aStore().deleteVersion(rest)).toBe(true);
      expect([last, await database.keys()]).toEqual([last, []]);
    });
    expect(deaths).toBeGreaterThanOrEqual(4);
  });

  it('does not delay the next request that has the same write id', async () => {
    const token = aStoredToken({ terms: terms(130) });
    await expect(aStore(dyingAt(3)).create([{ token }])).rejects.toThrow('ended');
    const again = { ...token, position: `${token.position}x` };
    expect(await aStore().create([{ token: again }])).toBe('changed');
    expect(await aStore().create([{ token: again }])).toBe('written');
    expect(await aStore().deleteVersion(again)).toBe(true);
    expect(await database.keys()).toEqual([]);
  });
});

describe('the lock of a match hash', () => {
  const locked = (more: Partial<UnprovenToken> = {}) =>
    aStoredToken({ matchHash: 'f', holdsLock: true, ...more });

  it('can be claimed from an expired token, which the sweep still removes', async () => {
    const store = aStore();
    const mortal = locked({ expiration: { at: now + 1_000, offsetMinutes: 0 } });
    await store.create([{ token: mortal }]);
    now += 2_000;
    const heir = locked();
    expect(await store.create([{ token: heir, lockOf: mortal.id }])).toBe('written');
    await sweepAll();
    expect(await visible()).toEqual([heir.id]);
    expect(await store.create([{ token: locked() }])).toEqual({ lockedBy: heir.id });
    await store.deleteVersion(heir);
    expect(await database.keys()).toEqual([]);
  });

  it('the lock of a match hash of a token that is still being created is waited for, and that of a dead writer is cleared', async () => {
    const large = locked({ terms: terms(130) });
    await expect(aStore(dyingAt(3)).create([{ token: large }])).rejects.toThrow('ended');
    const token = locked();
    expect(await aStore().create([{ token }])).toBe('changed');
    now += 61_000;
    expect(await aStore().create([{ token }])).toBe('changed');
    expect(await aStore().create([{ token }])).toBe('written');
    await sweepAll();
    expect(await visible()).toEqual([token.id]);
  });
});

describe('the sweep', () => {
  it('removes only expired tokens with all their items, and expired cvcs', async () => {
    const store = aStore();
    const at = now + 10_000;
    const mortal = aFullToken({ terms: terms(130), expiration: { at, offsetMinutes: 0 } });
    const card = aStoredToken({ type: 'card', cvcUntil: at });
    const staying = aStoredToken();
    await store.create([mortal]);
    await store.create([{ token: card, cvc: aCvc(at) }]);
    await store.create([{ token: staying }]);
    const before = await database.keys();
    await sweepAll();
    expect(await database.keys()).toEqual(before);
    now = at;
    await sweepAll();
    expect(new Set(await visible())).toEqual(new Set([card.id, staying.id]));
    expect(await database.keys()).toHaveLength(2);
  });

  it('leaves a cvc that was set again', async () => {
    const store = aStore();
    const card = aStoredToken({ type: 'card', cvcUntil: now + 1_000 });
    await store.create([{ token: card, cvc: aCvc(now + 1_000) }]);
    const next = changed(card, { cvcUntil: now + 90_000 });
    await store.update(card, { token: next, cvc: aCvc(now + 90_000) });
    now += 2_000;
    await sweepAll();
    expect((await store.findCvcs(TENANT, [card.id])).get(card.id)?.until).toBe(next.cvcUntil);
  });

  it('leaves a due token whose expiry was extended, and is done with one that is deleted by now', async () => {
    const store = aStore();
    const expiration = { at: now + 1_000, offsetMinutes: 0 };
    const [extended, deleted, gone] = [1, 2, 3].map(() => aStoredToken({ expiration })) as [
      StoredToken,
      StoredToken,
      StoredToken,
    ];
    await store.create([{ token: extended }, { token: deleted }, { token: gone }]);
    now += 2_000;
    const records: DueRecord[] = [];
    for await (const page of dueTokens(database.tables(), clock).due(now)) records.push(...page);
    const next = changed(extended, { expiration: { at: now + 90_000, offsetMinutes: 0 } });
    await store.update(extended, { token: next });
    await store.deleteVersion(deleted);
    await Promise.all(records.map((record) => record.act()));
    expect(records).toHaveLength(3);
    expect(new Set(await visible())).toEqual(new Set([extended.id]));
  });

  it('removes a plain expired token with one call, and one with entries with two', async () => {
    const expiration = { at: now - 1, offsetMinutes: 0 };
    const tokens = [aStoredToken({ expiration }), aStoredToken({ expiration, terms: terms(2) })];
    for (const token of tokens) {
      await aStore().create([{ token }]);
      database.takeCalls();
      await sweepAll();
      const writes = database.takeCalls().map(({ action }) => action.replace('dynamodb:', ''));
      expect(writes.filter((action) => action !== 'Query')).toEqual(
        token.terms.length === 0 ? ['UpdateItem'] : ['UpdateItem', 'TransactWriteItems'],
      );
    }
    expect(await database.keys()).toEqual([]);
  });

  it('does not touch an expired token that a writer is changing', async () => {
    const store = aStore();
    const token = aStoredToken({ expiration: { at: now + 1_000, offsetMinutes: 0 } });
    await store.create([{ token }]);
    const next = changed(token, { terms: terms(130) });
    await expect(aStore(dyingAt(3)).update(token, { token: next })).rejects.toThrow();
    now += 2_000;
    const before = await database.keys();
    await sweepAll();
    expect(await database.keys()).toEqual(before);
    now += 120_000;
    await sweepAll();
    await sweepAll();
    expect(await database.keys()).toEqual([]);
  });

  it('processes the oldest of all partitions of the index first', async () => {
    const store = aStore();
    const count = 40;
    for (let age = 0; age < count; age += 1)
      await store.create([{ token: aStoredToken({ expiration: { at: now - age, offsetMinutes: 0 } }) }]);
    const dueAt: number[] = [];
    for await (const page of dueTokens(database.tables(), clock).due(now))
      dueAt.push(...page.map((record) => record.dueAt));
    expect(dueAt).toEqual(Array.from({ length: count }, (_, index) => now - count + 1 + index));
  });

  it('may run twice concurrently, and stops at its deadline to continue later', async () => {
    const store = aStore();
    const tokens = Array.from({ length: 25 }, () =>
      aStoredToken({ expiration: { at: now + 1_000, offsetMinutes: 0 }, terms: terms(1) }),
    );
    for (const token of tokens) await store.create([{ token }]);
    now += 5_000;
    const works = () => dueTokens(database.tables(), clock);
    const deps = { clock, deadline: now, onFailure: () => undefined };
    expect(await sweep(works(), deps)).toMatchObject({ done: 0, isUnfinished: true, oldestDueMs: 4_000 });
    const failures: unknown[] = [];
    const both = { clock, deadline: now + 60_000, onFailure: (error: unknown) => failures.push(error) };
    await Promise.all([sweep(works(), both), sweep(works(), both)]);
    expect([failures, await database.keys()]).toEqual([[], []]);
  });
});

describe('tokens that are too large together', () => {
  it('become visible together, each with its data, and leave nothing behind when deleted', async () => {
    const store = aStore();
    // 4.2 MB in few items: more than the transaction that reveals them may touch.
    const written = Array.from({ length: 30 }, () => ({
      token: aStoredToken({ encryptedData: randomBytes(140_000) }),
    }));
    expect(await store.create(written)).toBe('written');
    const ids = written.map(({ token }) => token.id);
    const found = await store.findMany(TENANT, ids);
    expect(found).toHaveLength(30);
    const [first] = written;
    const read = found.find(({ id }) => id === first?.token.id);
    expect(read?.encryptedData.equals(first?.token.encryptedData ?? Buffer.alloc(0))).toBe(true);
    if (read === undefined) throw new Error('it is not there');
    const { isApart: _, ...rest } = changed(read, { encryptedData: randomBytes(500) });
    expect(await store.update(read, { token: rest })).toBe('written');
    expect((await store.findSummaries(TENANT, [read.id]))[0]?.encryptedData).toHaveLength(500);
    for (const token of await store.findMany(TENANT, ids))
      expect(await store.deleteVersion(token)).toBe(true);
    expect(await database.keys()).toEqual([]);
  });
});

it('a create removes all that a dead attempt of the same request has left, however many tokens', async () => {
  const request = randomBytes(12);
  const attempt = () =>
    Array.from({ length: 45 }, (_, at) => ({
      token: aStoredToken({
        id: `of-many-${String(at)}`,
        terms: terms(3, `many-${String(at)}-`),
        writeId: writeIdOfPart(request, at),
      }),
    }));
  await expect(aStore(dyingAt(2)).create(attempt())).rejects.toThrow('ended');
  expect(await aStore().create(attempt())).toBe('changed');
  expect(await aStore().create(attempt())).toBe('written');
});

it('a delete whose first call was throttled does not take a missing token for its own work', async () => {
  const throttled: Fate = (_operation, nth) => {
    if (nth > 1) return undefined;
    throw Object.assign(new Error('slow down'), {
      name: 'ThrottlingException',
      $retryable: { throttling: true },
    });
  };
  const missing = serviceIdOf(TENANT, randomUUID());
  expect(await aStore(throttled).deleteIfStandalone(TENANT, missing, now)).toEqual({ remaining: undefined });
  expect(await aStore(throttled).deleteVersion(aStoredToken())).toBe(false);
});

describe('a write that encrypts the same content again', () => {
  const marked = (token: UnprovenToken) =>
    aStoredToken({
      ...token,
      isShared: true,
      version: token.version + 1,
      encryptedData: randomBytes(80),
      clearMac: randomBytes(34),
    });

  it('is not taken for done while another writer is changing the token', async () => {
    const token = aStoredToken({ terms: terms(60) });
    await aStore().create([{ token }]);
    const next = changed(token, { terms: terms(60, 'other') });
    // The other writer has announced its entries, and has not changed the token yet.
    await expect(aStore(dyingAt(2)).update(token, { token: next })).rejects.toThrow('ended');
    expect(await aStore().update(token, { token: marked(token) })).toBe('changed');
    expect((await aStore().find(TENANT, token.id))?.isShared).toBe(false);
  });

  it('is not taken for done after another write of the same version, whichever of them marks the token', async () => {
    for (const isMarkedFirst of [true, false]) {
      const token = aStoredToken();
      await aStore().create([{ token }]);
      const reencrypted = { ...marked(token), isShared: false };
      const [first, second] = isMarkedFirst ? [marked(token), reencrypted] : [reencrypted, marked(token)];
      expect(await aStore().update(token, { token: first })).toBe('written');
      expect(await aStore().update(token, { token: second })).toBe('changed');
      expect((await aStore().find(TENANT, token.id))?.isShared).toBe(isMarkedFirst);
    }
  });

  it('encrypting data in parts again does not undo a write that came first', async () => {
    const token = aStoredToken({ encryptedData: randomBytes(2_500_000) });
    await aStore().create([{ token }]);
    const again = (isShared: boolean) => ({
      ...marked(token),
      isShared,
      encryptedData: randomBytes(2_500_000),
    });
    expect(await aStore().update(token, { token: again(true) })).toBe('written');
    expect(await aStore().update(token, { token: again(false) })).toBe('changed');
    expect((await aStore().find(TENANT, token.id))?.isShared).toBe(true);
  });

  it('leaves no entry if another one of the same version comes between its steps', async () => {
    const token = aStoredToken({ encryptedData: randomBytes(2_500_000), terms: terms(3, 'old') });
    await aStore().create([{ token }]);
    const again = (more: Partial<UnprovenToken>) => ({
      token: aStoredToken({ ...marked(token), encryptedData: randomBytes(2_500_000), ...more }),
    });
    let transactions = 0;
    const between: Fate = async (operation) => {
      if (operation === 'TransactWriteItems' && (transactions += 1) === 2)
        expect(await aStore().update(token, again({}))).toBe('changed');
      return undefined;
    };
    const rederived = again({ isShared: false, terms: terms(3, 'new') });
    expect(await aStore(between).update(token, rederived)).toBe('written');
    const stored = await aStore().find(TENANT, token.id);
    expect(stored !== undefined && (await aStore().deleteVersion(stored))).toBe(true);
    const left = (await database.keys()).filter((key) => /#term#(?:old|new)/.test(key));
    expect(left).toEqual([]);
  });
});

describe('a search for several terms', () => {
  it('makes the same calls for an entry that the caller may not see as for none', async () => {
    const callsFor = async (term: string) => {
      const calls: string[] = [];
      const counting: Fate = (operation) => {
        calls.push(operation);
        return undefined;
      };
      const wanted = { terms: [term, 'kind'], expected: 20, isVisible: () => false };
      for await (const batch of aStore(counting).candidates(TENANT, wanted)) expect(batch).toEqual([]);
      return calls;
    };
    await aStore().create([{ token: aStoredToken({ terms: ['guess', 'kind'] }) }]);
    expect(await callsFor('guess')).toEqual(await callsFor('other'));
  });

  it('walks the term with the fewest entries, however many entries of the other are hidden', async () => {
    const store = aStore();
    const mine = aStoredToken({ containers: ['/mine/'], terms: ['who', 'kind'], createdAt: now - 1_000 });
    await store.create([{ token: mine }]);
    for (let planted = 0; planted < 130; planted += 1)
      await store.create([{ token: aStoredToken({ terms: ['kind'] }) }]);
    let calls = 0;
    const counting: Fate = () => {
      calls += 1;
      return undefined;
    };
    const isVisible = ({ containers }: { readonly containers: readonly string[] }) =>
      containers[0] === '/mine/';
    const found: string[] = [];
    const wanted = { terms: ['kind', 'who'], expected: 100, isVisible };
    for await (const batch of aStore(counting).candidates(TENANT, wanted))
      found.push(...batch.map(({ id }) => id));
    expect(found).toEqual([mine.id]);
    expect(calls).toBe(3);
  });
});
