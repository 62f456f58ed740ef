import { createIndexStore } from '../../../src/adapters/dynamodb/index-store.ts';
import { createTrailSearch } from '../../../src/adapters/dynamodb/trail-search.ts';
import { recordKey } from '../../../src/adapters/dynamodb/keys.ts';
import type { Item } from '../../../src/adapters/dynamodb/table-client.ts';
import { newRecordPosition, TRAIL_SHARDS, type AuditEntry } from '../../../src/core/audit/audit-record.ts';
import { walkRecords, type RecordFilters } from '../../../src/core/trail/list-records.ts';
import { DAY_MS } from '../../../src/core/trail/index-levels.ts';
import { encodeContent } from '../../../src/core/audit/record-content.ts';
import { createIndexBuilder, type TokenIndex } from '../../../src/core/trail/token-index.ts';
import { packUuid } from '../../../src/core/audit/token-reference.ts';
import { sortableTime } from '../../../src/core/shared/position.ts';
import { TENANT } from '../../../test/support/builders/a-stored-token.ts';
import { aDatabase } from '../../../test/support/a-database.ts';
import { putAll } from './fill.ts';
import { costOf, type Cost } from './measure-growth.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

/** Names of operations whose cost must not depend on the number of records. */
export const OF_TRAIL = [
  'records, first page',
  'records, a page near the end',
  'records of a time in the middle',
  'records of a token',
] as const;

/** Reads up to 8,000 records for a page, however many there are. */
export const BOUNDED = 'records of an application that has none' as const;

export type TrailOperation = (typeof OF_TRAIL)[number] | typeof BOUNDED;

const PAGE = 20;
/** Records after a page near the end: of each partition more than it reads. */
const BEYOND = 800;
/** Records that name the requested token. */
const NAMING = 160;
const TOKEN = '3e9349b8-8f46-435c-82ea-1e872cc417e6';
const OTHER = '3e9349b8-8f46-435c-82ea-1e872cc417e7';
const WRITTEN_FROM = Date.UTC(2026, 0, 1);
const EXPIRES = WRITTEN_FROM / 1000 + 400 * 24 * 60 * 60;

/** Has the length of the records that a request writes if it reveals a token. */
const ENTRY = {
  key: 1,
  after: `07:${newRecordPosition(machinePlatform.random, WRITTEN_FROM)}`,
  op: 'getToken',
  outcome: 'ok' as const,
  status: 200,
  app: '060e922c-9352-4fb9-a04e-6777f5518413',
  cred: 'application',
  ip: '203.0.113.7',
  trace: '45c57581-d870-43c3-95e8-eac0007b6b86',
  containers: ['/pci/high/'],
} satisfies Partial<AuditEntry>;

/** Records a millisecond apart, spread evenly over the partitions, and the rows of one token. */
function* itemsOf(size: number): Generator<Item> {
  const step = Math.floor(size / NAMING);
  for (let index = 0, named = 0; index < size; index += 1) {
    const position = newRecordPosition(machinePlatform.random, WRITTEN_FROM + index);
    const isNaming = index % step === 0 && named < NAMING;
    const shard = (isNaming ? named : index - named) % TRAIL_SHARDS;
    const { body, ids } = encodeContent({ ...ENTRY, tokens: { reveal: [isNaming ? TOKEN : OTHER] } });
    yield { ...recordKey(TENANT, shard, position), ttl: EXPIRES, mac: Buffer.alloc(32), body, ids };
    if (isNaming) named += 1;
  }
}

function indexOf(size: number): TokenIndex {
  const builder = createIndexBuilder({
    trail: TENANT,
    level: 'day',
    from: WRITTEN_FROM,
    salt: Buffer.alloc(16),
  });
  const step = Math.floor(size / NAMING);
  for (let index = 0, named = 0; index < size; index += 1) {
    const isNaming = index % step === 0 && named < NAMING;
    const shard = (isNaming ? named : index - named) % TRAIL_SHARDS;
    builder.add([packUuid(isNaming ? TOKEN : OTHER)], { at: WRITTEN_FROM + index, shard });
    if (isNaming) named += 1;
  }
  return builder.build({ to: WRITTEN_FROM + DAY_MS, expires: EXPIRES });
}

/** Counts the AWS calls that pages of `GET /logs` need among `size` records of one tenant. */
export async function measureTrail(size: number): Promise<Readonly<Record<TrailOperation, Cost>>> {
  const database = await aDatabase();
  const table = database.table('Audit');
  const index = database.table('AuditIndex');
  const deps = { ...createTrailSearch(table, index), clock: () => WRITTEN_FROM + 2 * DAY_MS };
  try {
    await putAll(table.client, table.name, itemsOf(size));
    await createIndexStore(index, table).insert(indexOf(size));

    async function measured(filters: RecordFilters, before?: number, expected = PAGE): Promise<Cost> {
      database.takeCalls();
      const from = before === undefined ? undefined : sortableTime(WRITTEN_FROM + before);
      const { views } = await walkRecords(deps, TENANT, filters, { size: PAGE, before: from });
      if (views.length !== expected) throw new Error(`a page of ${String(views.length)} records`);
      return costOf(database.takeCalls());
    }

    const middle = WRITTEN_FROM + Math.floor(size / 2);
    return {
      'records, first page': await measured({}),
      'records, a page near the end': await measured({}, BEYOND),
      'records of a time in the middle': await measured({ from: middle - 400, to: middle + 400 }),
      'records of a token': await measured({ tokenId: TOKEN }),
      [BOUNDED]: await measured({ applicationId: 'none' }, undefined, 0),
    };
  } finally {
    await database.close();
  }
}
