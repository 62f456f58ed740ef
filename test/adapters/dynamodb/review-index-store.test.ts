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
import { DAY_MS, HOUR_MS, type IndexLevel } from '../../../src/core/audit/index-levels.ts';
import { walkRecords } from '../../../src/core/audit/list-records.ts';
import { encodeContent } from '../../../src/core/audit/record-content.ts';
import type { SealedIndex } from '../../../src/core/audit/seal.ts';
import { sortableTime } from '../../../src/core/shared/position.ts';
import {
  boundsOf,
  hashOfIndex,
  IndexBuilder,
  ITEM_BYTES,
  saltOf,
  type IndexedPlace,
  type TokenIndex,
} from '../../../src/core/audit/token-index.ts';
import {
  bytesOfName,
  nameOfToken,
  referenceOf,
  referenceText,
} from '../../../src/core/audit/token-reference.ts';
import { aDatabase, type Database, type Fate } from '../../support/a-database.ts';

const NOW = Date.UTC(2026, 10, 25, 10, 30);
const DAY = NOW - (NOW % DAY_MS);
const EXPIRES = NOW / 1000 + 86_400;
const TOKEN = '0f2c7a52-7f0e-4d7e-8a86-0b7f7b1d3c11';
const name = bytesOfName(nameOfToken(TOKEN));

let database: Database;
beforeAll(async () => {
  database = await aDatabase(3);
}, 60_000);
afterAll(() => database.close());

const stores = (fate?: Fate) => {
  const [index, audit] = [database.table('AuditIndex', fate), database.table('Audit', fate)];
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
  /** Places of the token. */
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
  const builder = new IndexBuilder({
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


async function written(trail: string, at: number, shard: number): Promise<AuditRecord> {
  const { referred, ...content } = encodeContent({ op: 'getToken', outcome: 'ok', tokens: { mask: [TOKEN] } });
  const record = { trail, shard, position: newRecordPosition(at), expires: EXPIRES, ...content };
  await createTrailWriter(database.table('Audit')).write(record, { referred });
  return record;
}

it('R3 a search loses no record where an item of the index ends within a ms', async () => {
  const trail = randomUUID();
  const { store, search } = stores();
  // 499 entries are an item: the first item ends with shard 3, the second begins with shard 5.
  const places = [
    ...Array.from({ length: 498 }, (_, at) => ({ at: DAY + at, shard: 1 })),
    { at: DAY + 1_000, shard: 3 },
    { at: DAY + 1_000, shard: 5 },
    ...Array.from({ length: 99 }, (_, at) => ({ at: DAY + 2_000 + at, shard: 2 })),
  ];
  for (const { at, shard } of places) await written(trail, at, shard);
  await store.insert(anIndex({ trail, places }));
  const all = async (size: number, withoutIndex: boolean) => {
    const positions: string[] = [];
    let before: string | undefined;
    do {
      const walked = await walkRecords({ ...search, clock: () => NOW }, trail, { tokenId: TOKEN }, { size, before, withoutIndex });
      positions.push(...walked.views.map(({ position }) => position));
      before = walked.next;
    } while (before !== undefined);
    return positions.length;
  };
  expect(await all(100, true)).toBe(599);
  expect(await all(100, false)).toBe(599);
}, 60_000);
