import { createTrailPages } from '../../../src/adapters/dynamodb/trail-reader.ts';
import { recordKey, tokenRowKey } from '../../../src/adapters/dynamodb/keys.ts';
import type { Item } from '../../../src/adapters/dynamodb/table-client.ts';
import { newRecordPosition, TRAIL_SHARDS } from '../../../src/core/audit/audit-record.ts';
import { walkRecords, type RecordFilters } from '../../../src/core/audit/list-records.ts';
import { sortableTime } from '../../../src/core/shared/position.ts';
import { TENANT } from '../../../test/support/builders/a-stored-token.ts';
import { aDatabase } from '../../../test/support/a-database.ts';
import { putAll } from './fill.ts';
import { costOf, type Cost } from './measure-growth.ts';

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
const WRITTEN_FROM = Date.UTC(2026, 0, 1);
const EXPIRES = WRITTEN_FROM / 1000 + 400 * 24 * 60 * 60;

/** As long as the records of a request that revealed a token. */
const BODY = JSON.stringify({
  ...{
    v: 1,
    key: 1,
    after: `07:${newRecordPosition(WRITTEN_FROM)}`,
    op: 'getToken',
    outcome: 'ok',
    status: 200,
  },
  ...{ app: '060e922c-9352-4fb9-a04e-6777f5518413', cred: 'application', ip: '203.0.113.7' },
  ...{ trace: '45c57581-d870-43c3-95e8-eac0007b6b86', tokens: { reveal: [TOKEN] } },
  containers: ['/pci/high/'],
});

/** Records a millisecond apart, spread evenly over the partitions, and the rows of one token. */
function* itemsOf(size: number): Generator<Item> {
  const step = Math.floor(size / NAMING);
  for (let index = 0, named = 0; index < size; index += 1) {
    const position = newRecordPosition(WRITTEN_FROM + index);
    const isNaming = index % step === 0 && named < NAMING;
    const shard = (isNaming ? named : index - named) % TRAIL_SHARDS;
    yield {
      ...recordKey(TENANT, shard, position),
      ...{ ttl: EXPIRES, mac: Buffer.alloc(32), body: BODY },
    };
    if (!isNaming) continue;
    yield { ...tokenRowKey(TENANT, TOKEN, shard, position), ...{ at: shard, ttl: EXPIRES } };
    named += 1;
  }
}

/** The AWS calls of pages of `GET /logs` among `size` records of one tenant. */
export async function measureTrail(size: number): Promise<Readonly<Record<TrailOperation, Cost>>> {
  const database = await aDatabase();
  const table = database.table('Audit');
  const deps = { trailPages: createTrailPages(table), clock: () => WRITTEN_FROM };
  try {
    await putAll(table.client, table.name, itemsOf(size));

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
