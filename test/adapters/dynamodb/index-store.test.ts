import { randomBytes, randomUUID } from 'node:crypto';
import { ExecuteStatementCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import {
  indexKey,
  indexPartition,
  INDEX_REQUESTS,
  type ItemKey,
} from '../../../src/adapters/dynamodb/keys.ts';
import {
  createIndexPages,
  createIndexReader,
  createIndexRequests,
  createIndexStore,
} from '../../../src/adapters/dynamodb/index-store.ts';
import { createReferredIds } from '../../../src/adapters/dynamodb/trail-reader.ts';
import { createTrailSearch } from '../../../src/adapters/dynamodb/trail-search.ts';
import { createTrailWriter } from '../../../src/adapters/dynamodb/trail-writer.ts';
import { newRecordPosition, timeOfPosition, type AuditRecord } from '../../../src/core/audit/audit-record.ts';
import { DAY_MS, HOUR_MS, type IndexLevel } from '../../../src/core/trail/index-levels.ts';
import { walkRecords } from '../../../src/core/trail/list-records.ts';
import { encodeContent } from '../../../src/core/audit/record-content.ts';
import type { SealedIndex } from '../../../src/core/trail/seal.ts';
import { sortableTime } from '../../../src/core/shared/position.ts';
import {
  boundsOf,
  hashOfIndex,
  createIndexBuilder,
  ITEM_BYTES,
  saltOf,
  type IndexedPlace,
  type TokenIndex,
} from '../../../src/core/trail/token-index.ts';
import {
  bytesOfName,
  nameOfToken,
  referenceOf,
  referenceText,
} from '../../../src/core/audit/token-reference.ts';
import { aDatabase, type Database, type Fate } from '../../support/a-database.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const NOW = Date.UTC(2026, 10, 25, 10, 30);
const DAY = NOW - (NOW % DAY_MS);
const EXPIRES = NOW / 1000 + 86_400;
const TOKEN = '0f2c7a52-7f0e-4d7e-8a86-0b7f7b1d3c11';
const name = bytesOfName(nameOfToken(TOKEN));

let database: Database;
beforeAll(async () => {
  database = await aDatabase(3);
});
afterAll(() => database.close());

const stores = (fate?: Fate) => {
  const index = database.table('AuditIndex', fate);
  const audit = database.table('Audit', fate);
  return {
    store: createIndexStore(index, audit),
    pages: createIndexPages(index),
    reader: createIndexReader(index),
    requests: createIndexRequests(audit),
    search: createTrailSearch(audit, index),
  };
};

interface Of {
  readonly trail: string;
  readonly level?: IndexLevel;
  readonly from?: number;
  readonly to?: number;
  /** Number of entries of other tokens. */
  readonly others?: number;
  /** Where the token occurs. */
  readonly places?: readonly IndexedPlace[];
}

function anIndex({
  trail,
  level = 'part',
  from = DAY,
  to = from + HOUR_MS,
  others = 0,
  places = [],
}: Of): TokenIndex {
  const builder = createIndexBuilder({
    trail,
    level,
    from,
    salt: saltOf(randomBytes(32), { trail, level, from }),
  });
  for (let at = 0; at < others; at += 1) builder.add([randomBytes(16)], { at: from + at, shard: at % 32 });
  for (const place of places) builder.add([name], place);
  return builder.build({ to, expires: EXPIRES });
}

const sealed = ({ trail, level, from, to, hash }: TokenIndex): SealedIndex => [trail, level, from, to, hash];
const headerKey = ({ trail, level, to, hash }: TokenIndex) => indexKey(trail, level, to, hash.slice(0, 16));
const entriesPartition = ({ trail, hash }: TokenIndex) => indexPartition(trail, hash.slice(0, 16));

async function stored(table: 'Audit' | 'AuditIndex', Key: ItemKey) {
  const { client, name: TableName } = database.table(table);
  return (await client.send(new GetCommand({ TableName, Key: { ...Key } }))).Item;
}

/** Inserts an item as any principal with the right to insert can. */
async function insert(table: 'Audit' | 'AuditIndex', item: Readonly<Record<string, object>>) {
  const { client, name: TableName } = database.table(table);
  const names = Object.keys(item).map((member) => `'${member}': ?`);
  const Statement = `INSERT INTO "${TableName}" VALUE {${names.join(', ')}}`;
  await client.send(new ExecuteStatementCommand({ Statement, Parameters: Object.values(item) as never }));
}

async function placesIn(trail: string, limit = 1_000): Promise<readonly IndexedPlace[]> {
  const { pages } = stores();
  const [header] = await pages.headers(trail, 'part', 0);
  return header === undefined ? [] : pages.places(header, boundsOf(header, name, Infinity), limit);
}

/** Places in a range, newest first. */
const placesFrom = (from: number, count: number): readonly IndexedPlace[] =>
  Array.from({ length: count }, (_, at) => ({ at: from + (count - at) * 100, shard: at % 32 }));

describe('a stored index', () => {
  it.each([
    ['in one item', 0, 480],
    ['in two items', 0, 481],
    ['among many other entries', 3_000, 700],
  ])('%s leads to all places of a token, newest first, and is the sealed one', async (_, others, count) => {
    const trail = randomUUID();
    const index = anIndex({ trail, others, places: placesFrom(DAY, count) });
    const { store, reader } = stores();
    await store.insert(index);
    const places = await placesIn(trail);
    const own = places.filter(({ at }) => at % 100 === 0);
    expect(own).toEqual(placesFrom(DAY, count));
    expect(places.length - own.length).toBeLessThan(3);
    expect((await placesIn(trail, 10)).slice(0, 10)).toEqual(places.slice(0, 10));
    expect(await reader.readIndex(sealed(index))).toMatchObject({ hash: index.hash, entries: index.entries });
  });

  it('has an expiry in each of its items, and items of at most 4 KB', async () => {
    const index = anIndex({ trail: randomUUID(), others: 1_200 });
    await stores().store.insert(index);
    expect(await stored('AuditIndex', headerKey(index))).toMatchObject({ ttl: EXPIRES });
    for (let at = 0; at < index.entries.length; at += ITEM_BYTES) {
      const sk = index.entries.subarray(at, at + 8).toString('hex');
      const item = await stored('AuditIndex', { pk: entriesPartition(index), sk });
      expect(item).toMatchObject({ ttl: EXPIRES, entries: expect.any(Uint8Array) });
      expect((item as any).entries.length).toBeLessThanOrEqual(ITEM_BYTES);
    }
  });

  it('is not changed when it is inserted once more', async () => {
    const trail = randomUUID();
    const index = anIndex({ trail, others: 700, places: placesFrom(DAY, 20) });
    const { store, reader, pages } = stores();
    for (let run = 0; run < 3; run += 1) await store.insert(index);
    expect(await pages.headers(trail, 'part', 0)).toHaveLength(1);
    expect(await reader.readIndex(sealed(index))).toMatchObject({ hash: index.hash });
  });

  it('is found only when all of it is stored, and a repetition of a run that died completes it', async () => {
    // 3,500 entries are eight items in one call, and the description follows in another.
    const trail = randomUUID();
    const index = anIndex({ trail, others: 3_500, places: placesFrom(DAY, 5) });
    let calls = 0;
    const dying = stores(() => ((calls += 1) > 1 ? 'die' : undefined));
    await expect(dying.store.insert(index)).rejects.toThrow();
    expect(calls).toBeGreaterThan(1);
    const { store, pages, reader } = stores();
    const sk = index.entries.subarray(0, 8).toString('hex');
    expect(await stored('AuditIndex', { pk: entriesPartition(index), sk })).toBeDefined();
    expect(await pages.headers(trail, 'part', 0)).toEqual([]);
    expect(await reader.readIndex(sealed(index))).toBeUndefined();
    await store.insert(index);
    expect(await placesIn(trail)).toHaveLength(5);
    expect(await reader.readIndex(sealed(index))).toMatchObject({ hash: index.hash });
  });

  it('leads to all places beside false items, which a principal who may insert can add', async () => {
    const trail = randomUUID();
    const index = anIndex({ trail, others: 1_500, places: placesFrom(DAY, 3) });
    await stores().store.insert(index);
    const pk = { S: entriesPartition(index) };
    const hash = boundsOf(index, name, 0)[0].toString('hex').slice(0, 8);
    await insert('AuditIndex', { pk, sk: { S: `${hash}00000000` }, ttl: { N: '1' } });
    await insert('AuditIndex', { pk, sk: { S: `${hash}~` }, ttl: { N: '1' }, entries: { S: 'x' } });
    await insert('AuditIndex', { pk, sk: { S: ' ' }, entries: { B: Buffer.alloc(3) } });
    expect(await placesIn(trail)).toHaveLength(3);
  });

  it('is not the sealed one with an item too many, or under a key that was taken', async () => {
    const trail = randomUUID();
    const index = anIndex({ trail, others: 700 });
    const taken = anIndex({ trail, others: 3, from: DAY + HOUR_MS });
    const { store, reader } = stores();
    await store.insert(index);
    const more = { entries: { B: Buffer.alloc(8) }, ttl: { N: '1' } };
    await insert('AuditIndex', { pk: { S: entriesPartition(index) }, sk: { S: '7'.repeat(16) }, ...more });
    const { pk, sk } = headerKey(taken);
    const description = { from: { N: String(taken.from) }, salt: { B: taken.salt } };
    await insert('AuditIndex', { pk: { S: pk }, sk: { S: sk }, ...description, ...more });
    await store.insert(taken);
    for (const each of [index, taken])
      expect((await reader.readIndex(sealed(each)))?.hash).not.toBe(each.hash);
  });
});

it('an index with another start, or with an item under another key, is not the sealed one', async () => {
  const { store, reader } = stores();
  const moved = anIndex({ trail: randomUUID(), others: 3 });
  const rekeyed = anIndex({ trail: randomUUID(), others: 700 });
  await store.insert(moved);
  await store.insert(rekeyed);
  const change = async (before: ItemKey, change: object) => {
    const item = await stored('AuditIndex', before);
    const { client, name: TableName } = database.table('AuditIndex');
    await client.send(new DeleteCommand({ TableName, Key: { ...before } }));
    await client.send(new PutCommand({ TableName, Item: { ...item, ...change } }));
  };
  await change(headerKey(moved), { from: moved.from + 1 });
  const first = { pk: entriesPartition(rekeyed), sk: rekeyed.entries.subarray(0, 8).toString('hex') };
  await change(first, { sk: '0'.repeat(16) });
  for (const each of [moved, rekeyed]) {
    const index = await reader.readIndex(sealed(each));
    expect(index && hashOfIndex(index, index.entries)).not.toBe(each.hash);
  }
});

it('an index without one of its items is not the sealed one', async () => {
  const { store, reader } = stores();
  const index = anIndex({ trail: randomUUID(), others: 1_100 });
  await store.insert(index);
  const sk = index.entries.subarray(ITEM_BYTES, ITEM_BYTES + 8).toString('hex');
  const { client, name: TableName } = database.table('AuditIndex');
  await client.send(new DeleteCommand({ TableName, Key: { pk: entriesPartition(index), sk } }));
  expect((await reader.readIndex(sealed(index)))?.hash).not.toBe(index.hash);
});

describe('the descriptions of indexes', () => {
  it('are those of one trail and level that end after a time, in order', async () => {
    const trail = randomUUID();
    const { store, pages } = stores();
    const starts = [2, 0, 1].map((hour) => DAY + hour * HOUR_MS);
    for (const from of starts) await store.insert(anIndex({ trail, from, others: 1 }));
    await store.insert(anIndex({ trail, level: 'day', to: DAY + DAY_MS, others: 1 }));
    await store.insert(anIndex({ trail: randomUUID(), others: 1 }));
    const ends = async (after: number) => (await pages.headers(trail, 'part', after)).map(({ to }) => to);
    expect(await ends(0)).toEqual([1, 2, 3].map((hour) => DAY + hour * HOUR_MS));
    expect(await ends(DAY + HOUR_MS)).toEqual([2, 3].map((hour) => DAY + hour * HOUR_MS));
    expect(await pages.headers(trail, 'day', 0)).toHaveLength(1);
  });

  it('are passed over if they are not in the form of the service', async () => {
    const trail = randomUUID();
    const { store, pages } = stores();
    await store.insert(anIndex({ trail, others: 1 }));
    const good = { from: { N: '0' }, salt: { B: Buffer.alloc(16) }, ttl: { N: '1' } };
    const sk = `part#${sortableTime(NOW)}#${'x'.repeat(16)}`;
    await insert('AuditIndex', { pk: { S: trail }, sk: { S: sk }, ...good, from: { N: '1.5E100' } });
    await insert('AuditIndex', {
      pk: { S: trail },
      sk: { S: `${sk.slice(0, -1)}y` },
      ...good,
      salt: { S: 'x' },
    });
    await insert('AuditIndex', { pk: { S: trail }, sk: { S: `${sk}z` }, ...good });
    expect(await pages.headers(trail, 'part', 0)).toHaveLength(1);
  });
});

describe('the trails of a day', () => {
  it('are listed once each, in order, after one of them', async () => {
    const day = DAY - 7 * DAY_MS;
    const { store } = stores();
    for (const trail of ['b', 'a', 'c', 'a']) await store.list(day, trail);
    const listed = async (after?: string) => {
      const trails: string[] = [];
      for await (const page of store.listed(day, after)) trails.push(...page);
      return trails;
    };
    expect(await listed()).toEqual(['a', 'b', 'c']);
    expect(await listed('a')).toEqual(['b', 'c']);
  });
});

it('requests for indexes are read in order, up to a time, and false ones are of no day', async () => {
  const { store, requests } = stores();
  await requests.ask('a', [DAY], NOW - 2_000);
  await requests.ask('b', [DAY - DAY_MS], NOW - 1_000);
  await requests.ask('c', [DAY], NOW + 1_000);
  const position = (at: number) => ({ pk: { S: INDEX_REQUESTS }, sk: { S: `${sortableTime(at)}false` } });
  await insert('Audit', { ...position(NOW - 500), trail: { S: 'c' }, day: { S: 'no number' } });
  await insert('Audit', { ...position(NOW - 400), day: { N: '1.5E100' } });
  const asked = await store.asked(undefined, NOW);
  expect(asked.map(({ trail, day }) => [trail, day])).toEqual([
    ['a', DAY],
    ['b', DAY - DAY_MS],
    ['', -1],
    ['', -1],
  ]);
  expect(await store.asked(asked[0]?.id, NOW)).toEqual(asked.slice(1));
  expect(await store.asked(sortableTime(NOW + DAY_MS), NOW)).toEqual([]);
  const long = { pk: { S: INDEX_REQUESTS }, sk: { S: sortableTime(NOW - 300).padEnd(1_024, 'x') } };
  await insert('Audit', long);
  const [last] = (await store.asked(undefined, NOW)).slice(-1);
  expect(last?.id).toHaveLength(64);
  expect(await store.asked(last?.id, NOW)).toEqual([]);
});

describe('a search by token', () => {
  async function written(
    trail: string,
    at: number,
    ids: readonly string[],
    shard = at % 32,
  ): Promise<AuditRecord> {
    const { referred, ...content } = encodeContent({ op: 'getToken', outcome: 'ok', tokens: { mask: ids } });
    const record = {
      trail,
      shard,
      position: newRecordPosition(machinePlatform.random, at),
      expires: EXPIRES,
      ...content,
    };
    await createTrailWriter(database.table('Audit')).write(record, { referred });
    return record;
  }

  it('finds records through the index of a day, through parts, and those that no index has', async () => {
    const trail = randomUUID();
    const { store, search } = stores();
    const yesterday = DAY - DAY_MS;
    const times = [yesterday + 1, yesterday + 20 * HOUR_MS, DAY + 5, DAY + HOUR_MS + 7, NOW - 1_000];
    const records = [];
    for (const at of times) {
      records.push(await written(trail, at, [TOKEN, randomUUID()]));
      await written(trail, at + 1, [randomUUID()]);
    }
    const placed = (some: readonly AuditRecord[]) =>
      some.map(({ position, shard }) => ({ at: timeOfPosition(position), shard }));
    const day = { level: 'day', from: yesterday, to: DAY } as const;
    await store.insert(anIndex({ trail, ...day, places: placed(records.slice(0, 2)), others: 600 }));
    // The day replaces it, so what it lacks does not matter.
    await store.insert(anIndex({ trail, from: yesterday, places: [] }));
    await store.insert(anIndex({ trail, places: placed(records.slice(2, 3)) }));
    await store.insert(anIndex({ trail, from: DAY + HOUR_MS, places: placed(records.slice(3, 4)) }));
    const found: string[] = [];
    let before: string | undefined;
    do {
      const walked = await walkRecords(
        { ...search, clock: () => NOW },
        trail,
        { tokenId: TOKEN },
        { size: 2, before },
      );
      found.push(...walked.views.map(({ position }) => position));
      before = walked.next;
    } while (before !== undefined);
    expect(found).toEqual(records.map(({ position }) => position).toReversed());
  });

  it('finds all records of a ms whose entries are in two items', async () => {
    const trail = randomUUID();
    const { store, search } = stores();
    // An item has 499 entries, so the first one ends between the two records of one ms.
    const places = [
      ...Array.from({ length: 498 }, (_, at) => ({ at: DAY + at, shard: at % 32 })),
      ...[3, 5].map((shard) => ({ at: DAY + 1_000, shard })),
      ...Array.from({ length: 99 }, (_, at) => ({ at: DAY + 2_000 + at, shard: (16 + at) % 32 })),
    ];
    for (const { at, shard } of places) await written(trail, at, [TOKEN], shard);
    await store.insert(anIndex({ trail, places }));
    const found = new Set<string>();
    let before: string | undefined;
    do {
      const deps = { ...search, clock: () => NOW };
      const walked = await walkRecords(deps, trail, { tokenId: TOKEN }, { size: 100, before });
      for (const { position } of walked.views) found.add(position);
      before = walked.next;
    } while (before !== undefined);
    expect(found.size).toBe(places.length);
  });

  it('reads a hundred ids that a record refers to in one call, and leaves one that is gone as it is', async () => {
    const trail = randomUUID();
    const ids = Array.from({ length: 99 }, (_, at) => `id ${String(at)} of ${trail}`);
    await written(trail, NOW - 5, ids);
    const gone = referenceText(referenceOf('never stored'));
    const { referred: _, ...content } = encodeContent({
      op: 'listTokens',
      outcome: 'ok',
      tokens: { mask: [...ids, 'never stored'] },
    });
    const record = {
      trail,
      shard: 3,
      position: newRecordPosition(machinePlatform.random, NOW),
      expires: EXPIRES,
      ...content,
    };
    await createTrailWriter(database.table('Audit')).write(record, { referred: [] });
    database.takeReads();
    const { views } = await walkRecords(
      { ...stores().search, clock: () => NOW + 1 },
      trail,
      { tokenId: 'never stored' },
      { size: 10, before: undefined },
    );
    expect(views.map(({ entry }) => entry.tokens)).toEqual([{ mask: [...ids, gone] }]);
    expect(database.takeReads().filter((read) => read.includes(' id#'))).toHaveLength(100);
    expect(await createReferredIds(database.table('Audit'))([referenceOf('never stored')])).toEqual(
      new Map(),
    );
  });
});
