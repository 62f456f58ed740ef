import { PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { batchGet } from './batch-get.ts';
import { partKey, type ItemKey } from './keys.ts';
import { binary, send, type Table } from './table-client.ts';
import { dueAt, timeToLive } from './token-item.ts';

/**
 * Most encrypted bytes in one item. DynamoDB's limit is 400 KB, and a token's item has other
 * attributes too.
 */
export const PART_BYTES = 350_000;

const partItem = z.lazy(() => z.object({ sk: z.string(), part: binary }));

/** The time when parts end, in ms since the epoch. */
export interface PartsEnd {
  readonly until: number;
  /**
   * True if the sweep deletes them at their end. Otherwise DynamoDB's own expiry does, which may
   * take days.
   */
  readonly isSwept: boolean;
}

/** How many parts so many bytes need. */
export function partCountOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / PART_BYTES));
}

/** Keys that sort the parts next to the item `of`. */
export function partKeys(of: ItemKey, count: number): readonly ItemKey[] {
  return Array.from({ length: count }, (_, index) => partKey(of, index));
}

/** Cuts bytes of any size into items that are next to `of`. */
export function cutIntoParts(of: ItemKey, bytes: Buffer): readonly (ItemKey & { readonly part: Buffer })[] {
  return partKeys(of, partCountOf(bytes.length)).map((key, index) => ({
    ...key,
    part: bytes.subarray(index * PART_BYTES, (index + 1) * PART_BYTES),
  }));
}

/** Reads parts and joins them; `undefined` if some are missing. */
export async function readParts(table: Table, of: ItemKey, count: number): Promise<Buffer | undefined> {
  // An emptied part is missing too (reactor-packages.ts).
  const items = (await batchGet(table, partKeys(of, count))).filter((item) => item['part'] !== undefined);
  if (items.length !== count) return undefined;
  const parts = items.map((item) => partItem.parse(item));
  return Buffer.concat(parts.toSorted((a, b) => (a.sk < b.sk ? -1 : 1)).map(({ part }) => part));
}

/**
 * Writes bytes as parts with a time to live, so that parts without a reference expire. Returns
 * their number.
 */
export async function putParts(
  { client, platform, name }: Table,
  of: ItemKey,
  bytes: Buffer,
  { until, isSwept }: PartsEnd,
): Promise<number> {
  const ends = { ttl: timeToLive(until), ...(isSwept && { until, ...dueAt(of.pk, until) }) };
  const parts = cutIntoParts(of, bytes);
  await Promise.all(
    parts.map((part) => {
      const command = new PutCommand({ TableName: name, Item: { ...part, ...ends } });
      return send(platform, () => client.send(command));
    }),
  );
  return parts.length;
}
