import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { getAll } from './get-all.ts';
import { partKey, type ItemKey } from './keys.ts';
import { binary, fromItem, send, toItem, type Table } from './table-client.ts';
import { dueAt, timeToLive } from './token-item.ts';

/** Most sealed bytes in one item: DynamoDB's limit is 400 KB. What is larger stands in several. */
export const PART_BYTES = 390_000;

const partItem = z.object({ sk: z.string(), part: binary });

/** When parts end, in ms since the epoch. */
export interface PartsEnd {
  readonly until: number;
  /** The sweep takes them away at their end; otherwise DynamoDB's own expiry does, which may take days. */
  readonly isSwept: boolean;
}

/**
 * Writes bytes of any size into items beside `of`, each with a time to live: parts that nobody comes to refer to go by themselves. Answers
 * with how many they are.
 */
export async function putParts(
  { client, name }: Table,
  of: ItemKey,
  bytes: Buffer,
  { until, isSwept }: PartsEnd,
): Promise<number> {
  const count = Math.max(1, Math.ceil(bytes.length / PART_BYTES));
  await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const part = bytes.subarray(index * PART_BYTES, (index + 1) * PART_BYTES);
      const item = toItem({
        ...partKey(of, index),
        part,
        ttl: timeToLive(until),
        ...(isSwept && { until, ...dueAt(of.pk, until) }),
      });
      const command = new PutItemCommand({ TableName: name, Item: item });
      return send(() => client.send(command));
    }),
  );
  return count;
}

/** The bytes of parts again; `undefined` if some have gone. */
export async function getParts(table: Table, of: ItemKey, count: number): Promise<Buffer | undefined> {
  const keys = Array.from({ length: count }, (_, index) => partKey(of, index));
  const items = await getAll(table, keys);
  if (items.length !== count) return undefined;
  const parts = items.map((item) => partItem.parse(fromItem(item)));
  return Buffer.concat(parts.toSorted((a, b) => (a.sk < b.sk ? -1 : 1)).map(({ part }) => part));
}
