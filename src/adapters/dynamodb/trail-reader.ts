import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { TRAIL_SHARDS, type AuditRecord } from '../../core/audit/audit-record.ts';
import type { PageRange, PartitionPage, TrailPages } from '../../core/trail/list-records.ts';
import type { RecordsAt } from '../../core/trail/find-by-token.ts';
import type { TrailReader } from '../../core/trail/trail-store.ts';
import type { MarkedShard } from '../../core/audit/audit-log.ts';
import { referenceOf, referenceText, type ReferredIds } from '../../core/audit/token-reference.ts';
import { defined } from '../../core/shared/defined.ts';
import { sortableTime } from '../../core/shared/position.ts';
import { batchGet } from './batch-get.ts';
import { chunk } from './chunk.ts';
import { markPartition, recordKey, recordPartition, referredKey } from './keys.ts';
import { binary, send, type Item, type Table } from './table-client.ts';

const MINUTE_MS = 60_000;
/**
 * Most concurrent queries. After a pause of an hour the sealer makes some 2,000, and must not
 * starve the requests of callers.
 */
const CONCURRENT_QUERIES = 8;
/** Sorts after every position of the same time. */
const LAST = '~';

const recordItem = z.lazy(() =>
  z.strictObject({
    pk: z.string(),
    sk: z.string(),
    ttl: z.int(),
    mac: z.optional(binary),
    body: z.string(),
    ids: z.optional(binary),
  }),
);
const PARTITION = /^(.+)#log#(\d\d)$/;

/** Reads a record. An item that is not a record becomes an empty one. */
function readRecord(item: Item): AuditRecord {
  const [, trail = '', shard = '0'] = PARTITION.exec(String(item['pk'])) ?? [];
  const place = { trail, shard: Number(shard), position: String(item['sk']) };
  const parsed = recordItem.safeParse(item);
  if (!parsed.success) return { ...place, expires: 0, body: '' };
  const { ttl, mac, body, ids } = parsed.data;
  return { ...place, expires: ttl, body, ...defined({ mac, ids }) };
}

interface Range {
  readonly partition: string;
  readonly from: string;
  readonly to: string;
}

/** Reads one partition a page at a time, by sort key, with consistent reads. */
async function* pages(
  { client, platform, name }: Table,
  { partition, from, to }: Range,
): AsyncGenerator<readonly Item[]> {
  let start: Item | undefined;
  do {
    const command: QueryCommand = new QueryCommand({
      TableName: name,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :partition AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':partition': partition, ':from': from, ':to': to },
      ...(start === undefined ? {} : { ExclusiveStartKey: start }),
    });
    const page = await send(platform, () => client.send(command));
    start = page.LastEvaluatedKey;
    yield page.Items ?? [];
  } while (start !== undefined);
}

async function allItems(table: Table, range: Range): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const page of pages(table, range)) items.push(...page);
  return items;
}

/** Reads the trail with consistent reads, for the sealer and the verifier. */
export function createTrailReader(table: Table): TrailReader {
  return {
    async marked(from, to) {
      const minutes = Array.from({ length: (to - from) / MINUTE_MS }, (_, index) => from + index * MINUTE_MS);
      const shards = Array.from({ length: TRAIL_SHARDS }, (_, shard) => shard);
      const wanted = minutes.flatMap((minute) => shards.map((shard) => ({ minute, shard })));
      const found = new Map<string, MarkedShard>();
      for (const group of chunk(wanted, CONCURRENT_QUERIES))
        await Promise.all(
          group.map(async ({ minute, shard }) => {
            const range = { partition: markPartition(minute, shard), from: ' ', to: LAST };
            for (const { sk: trail } of await allItems(table, range))
              found.set(`${String(trail)} ${String(shard)}`, { trail: String(trail), shard });
          }),
        );
      return [...found.values()];
    },

    async *records({ trail, shard }, from, to) {
      const range = { from: sortableTime(from), to: sortableTime(to - 1) + LAST };
      for await (const page of pages(table, { partition: recordPartition(trail, shard), ...range }))
        yield page.map(readRecord);
    },

    async find(trail, places) {
      const keys = places.map(({ shard, position }) => recordKey(trail, shard, position));
      return (await batchGet(table, keys)).map(readRecord);
    },
  };
}

const referredItem = z.object({ id: z.string() });

/**
 * Looks up the ids of references, consistently. An item that is not the id of its reference counts
 * as missing.
 */
export function createReferredIds(table: Table): ReferredIds {
  return async (references) => {
    const items = await batchGet(table, references.map(referredKey));
    const found = items.flatMap((item) => referredItem.safeParse(item).data?.id ?? []);
    return new Map(found.map((id) => [referenceText(referenceOf(id)), id]));
  };
}

/** Reads the trail newest first, a page of each partition at a time, for queries. */
export function createTrailPages(table: Table): TrailPages {
  const { client, platform, name } = table;

  /**
   * The newest records of a partition below a sort key. The reads are eventually consistent, at
   * half the price.
   */
  async function newest(partition: string, { from, before, limit }: PageRange): Promise<PartitionPage> {
    const command = new QueryCommand({
      TableName: name,
      KeyConditionExpression: 'pk = :partition AND sk BETWEEN :from AND :before',
      ExpressionAttributeValues: { ':partition': partition, ':from': from, ':before': before },
      ScanIndexForward: false,
      // The item at the end of the range belongs to the previous page, and one more shows whether
      // any follows.
      Limit: limit + 2,
    });
    const { Items = [], LastEvaluatedKey } = await send(platform, () => client.send(command));
    const below = Items.filter(({ sk }) => String(sk) < before);
    const items = below.slice(0, limit);
    const records = items.map(readRecord);
    if (LastEvaluatedKey === undefined && below.length <= limit) return { records };
    return { records, readTo: String((items.at(-1) ?? LastEvaluatedKey)?.['sk']) };
  }

  return {
    async newest(trail, range) {
      const shards = Array.from({ length: TRAIL_SHARDS }, (_, shard) => shard);
      return Promise.all(shards.map((shard) => newest(recordPartition(trail, shard), range)));
    },
  };
}

/** Reads the records of a place, with eventually consistent reads. */
export function createRecordsAt({ client, platform, name }: Table): RecordsAt {
  return async (trail, { at, shard }) => {
    const time = sortableTime(at);
    const command = new QueryCommand({
      TableName: name,
      KeyConditionExpression: 'pk = :partition AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: {
        ':partition': recordPartition(trail, shard),
        ':from': time,
        ':to': time + LAST,
      },
    });
    const { Items = [] } = await send(platform, () => client.send(command));
    return Items.map(readRecord);
  };
}
