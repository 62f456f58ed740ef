import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { INDEX_LEVELS } from '../../core/trail/index-levels.ts';
import type {
  IndexPages,
  IndexReader,
  IndexRequests,
  IndexStore,
  StoredHeader,
} from '../../core/trail/index-store.ts';
import {
  ENTRY_BYTES,
  hashOfIndex,
  INLINE_BYTES,
  ITEM_BYTES,
  placesBetween,
  type IndexedPlace,
} from '../../core/trail/token-index.ts';
import { newPosition, sortableTime } from '../../core/shared/position.ts';
import { chunk } from './chunk.ts';
import { insertAll } from './insert-only.ts';
import { dayPartition, INDEX_REQUESTS, indexKey, indexPartition } from './keys.ts';
import { binary, send, type Item, type Table } from './table-client.ts';

/** Length of the part of the hash that is in the keys of an index. */
const ID_LENGTH = 16;
/** Items of an index that are inserted at once. */
const ITEMS_AT_ONCE = 100;
const idOf = (hash: string): string => hash.slice(0, ID_LENGTH);
/** Sorts after every text that is used here. */
const LAST = '~';

const headerItem = z.lazy(() =>
  z.object({
    pk: z.string(),
    sk: z.string(),
    from: z.int(),
    salt: binary,
    ttl: z.int(),
    entries: z.optional(binary),
  }),
);
const HEADER = new RegExp(`^(${INDEX_LEVELS.join('|')})#([\\da-z]{9})#([\\w-]{${String(ID_LENGTH)}})$`);
const entriesItem = z.lazy(() => z.object({ sk: z.string(), entries: binary }));
/** The first entry of an item is its key, by which searches find the item. */
const keyOf = (entries: Buffer): string => entries.subarray(0, ENTRY_BYTES).toString('hex');

/** The entries of an item; `undefined` for a false item, or one that searches would not find. */
function entriesUnderKey(item: Item): Buffer | undefined {
  const { data } = entriesItem.safeParse(item);
  return data !== undefined && data.sk === keyOf(data.entries) ? data.entries : undefined;
}

const listedItem = z.object({ sk: z.string() });
const requestItem = z.object({ trail: z.string(), day: z.int() });
/** A request of no trail, which replaces a false item and is ignored. */
const NO_REQUEST = { trail: '', day: -1 };
const REQUESTS_AT_ONCE = 100;
/** Longer than the key of a request. A false one must not fill seals. */
const REQUEST_ID_MAX = 64;
/** The first key after that of a request, or after all false ones that begin like it. */
const keyAfter = (id: string): string => (id.length < REQUEST_ID_MAX ? `${id} ` : `${id}${LAST}`);

/** The description in an item; `undefined` if it describes no index. */
function readHeader(item: Item): StoredHeader | undefined {
  const [, level, to = '', id = ''] = HEADER.exec(String(item['sk'])) ?? [];
  const known = INDEX_LEVELS.find((each) => each === level);
  const parsed = headerItem.safeParse(item);
  if (known === undefined || !parsed.success) return undefined;
  const { pk, from, salt, ttl, entries } = parsed.data;
  const header = { trail: pk, level: known, from, to: parseInt(to, 36), salt, expires: ttl, id };
  return entries === undefined ? header : { ...header, entries };
}

type Query = Pick<QueryCommandInput, 'ConsistentRead' | 'ScanIndexForward' | 'Limit'> & {
  readonly partition: string;
  readonly from: string;
  readonly to: string;
};

async function* pagesOf(
  { client, platform, name }: Table,
  { partition, from, to, ...how }: Query,
): AsyncGenerator<readonly Item[]> {
  let start: Item | undefined;
  do {
    const command: QueryCommand = new QueryCommand({
      TableName: name,
      KeyConditionExpression: 'pk = :partition AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':partition': partition, ':from': from, ':to': to },
      ...how,
      ...(start === undefined ? {} : { ExclusiveStartKey: start }),
    });
    const page = await send(platform, () => client.send(command));
    start = page.LastEvaluatedKey;
    yield page.Items ?? [];
  } while (start !== undefined);
}

/** Looks tokens up in the indexes, for queries. */
export function createIndexPages(table: Table): IndexPages {
  return {
    async headers(trail, level, after) {
      const headers: StoredHeader[] = [];
      const range = { from: `${level}#${sortableTime(after + 1)}`, to: `${level}#${LAST}` };
      for await (const items of pagesOf(table, { partition: trail, ...range }))
        headers.push(...items.flatMap((item) => readHeader(item) ?? []));
      return headers;
    },

    async places(header, bounds, limit) {
      if (header.entries !== undefined) return placesBetween(header, header.entries, bounds);
      const [first, to] = bounds.map((bound) => bound.toString('hex')) as [string, string];
      const places: IndexedPlace[] = [];
      // An item has the entries from its key on, so the one before the first bound may have some
      // too. The read is consistent, because the description can be visible before the entries.
      const partition = indexPartition(header.trail, header.id);
      const query = { partition, ConsistentRead: true, from: ' ', to };
      for await (const items of pagesOf(table, { ...query, ScanIndexForward: false, Limit: 1 })) {
        const [item] = items;
        if (item === undefined) break;
        const entries = entriesUnderKey(item);
        if (entries === undefined) continue;
        places.push(...placesBetween(header, entries, bounds));
        const last = places[limit - 1];
        if (last !== undefined && (places.at(-1) ?? last).at < last.at) break;
        if (keyOf(entries) < first) break;
      }
      return places;
    },
  };
}

/** Reads whole indexes with consistent reads. */
export function createIndexReader(table: Table): IndexReader {
  return {
    async readIndex([trail, level, , to, hash]) {
      const key = indexKey(trail, level, to, idOf(hash));
      const one = { ConsistentRead: true, partition: key.pk, from: key.sk, to: key.sk };
      let header: StoredHeader | undefined;
      for await (const [item] of pagesOf(table, one)) header = item && readHeader(item);
      if (header === undefined) return undefined;
      const parts = header.entries === undefined ? [] : [header.entries];
      const all = { ConsistentRead: true, partition: indexPartition(trail, header.id), from: ' ', to: LAST };
      if (header.entries === undefined)
        for await (const items of pagesOf(table, all))
          for (const item of items) {
            const some = entriesUnderKey(item);
            if (some === undefined) return undefined;
            parts.push(some);
          }
      const entries = Buffer.concat(parts);
      return { ...header, entries, hash: hashOfIndex(header, entries) };
    },
  };
}

/** Stores indexes for the sealer by inserts alone. It also reads `audit`. */
export function createIndexStore(table: Table, audit: Table): IndexStore {
  return {
    async insert({ trail, level, from, to, salt, expires, entries, hash }) {
      const id = idOf(hash);
      const isInline = entries.length <= INLINE_BYTES;
      const items: Item[] = [];
      for (let at = 0; !isInline && at < entries.length; at += ITEM_BYTES) {
        const some = entries.subarray(at, at + ITEM_BYTES);
        items.push({ pk: indexPartition(trail, id), sk: keyOf(some), ttl: expires, entries: some });
      }
      // All items are in one partition, so a throttled chunk is repeated before the next one.
      for (const some of chunk(items, ITEMS_AT_ONCE)) await insertAll(table, some);
      // Readers find an index by its description, so the description is written last.
      const header = { ...indexKey(trail, level, to, id), from, salt, ttl: expires };
      await insertAll(table, [{ ...header, ...(isInline && { entries }) }]);
    },

    async list(day, trail) {
      const ttl = Math.floor(day / 1000) + 45 * 24 * 60 * 60;
      await insertAll(table, [{ pk: dayPartition(day), sk: trail, ttl }]);
    },

    async *listed(day, after) {
      const range = { from: after === undefined ? ' ' : `${after} `, to: LAST };
      for await (const items of pagesOf(table, {
        partition: dayPartition(day),
        ConsistentRead: true,
        ...range,
      }))
        yield items.map((item) => listedItem.parse(item).sk);
    },

    async asked(after, before) {
      const range = { from: after === undefined ? ' ' : keyAfter(after), to: sortableTime(before) };
      const query = { partition: INDEX_REQUESTS, ConsistentRead: true, Limit: REQUESTS_AT_ONCE, ...range };
      if (range.from > range.to) return [];
      const page = await pagesOf(audit, query).next();
      const items = page.done === true ? [] : page.value;
      return items.map((item) => ({
        id: String(item['sk']).slice(0, REQUEST_ID_MAX),
        ...(requestItem.safeParse(item).data ?? NO_REQUEST),
      }));
    },
  };
}

/** How long a request can be read, in seconds. */
const REQUEST_SECONDS = 30 * 24 * 60 * 60;

/** Asks the sealer for indexes, in the table Audit. */
export function createIndexRequests(audit: Table): IndexRequests {
  return {
    async ask(trail, days, now) {
      const ttl = Math.floor(now / 1000) + REQUEST_SECONDS;
      const requests = days.map((day) => ({
        pk: INDEX_REQUESTS,
        sk: newPosition(audit.platform.random, now),
        trail,
        day,
        ttl,
      }));
      await insertAll(audit, requests);
    },
  };
}
