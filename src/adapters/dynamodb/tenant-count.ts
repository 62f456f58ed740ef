import * as z from 'zod/mini';
import { unavailable } from '../aws/dependency-error.ts';
import { getItem } from './batch-get.ts';
import type { ItemKey } from './keys.ts';
import type { Item, Table, TransactWriteItem } from './table-client.ts';
import { tenantItems } from './tenant-items.ts';
import { transact } from './transact.ts';

const countItem = z.lazy(() => z.object({ total: z.number(), countedAt: z.number(), version: z.number() }));

/** How many items there are, as it is stored. */
interface Count {
  readonly total: number;
  /** The items themselves were counted at this time, in ms since the epoch. */
  readonly countedAt: number;
  /** It increases by one with each write, so that no writer goes on from a total of before. */
  readonly version: number;
}

/** The items of a tenant whose sort keys have a prefix are counted. */
interface Counted {
  readonly table: Table;
  readonly tenantId: string;
  /** The item that has their number. There is none for none. */
  readonly key: ItemKey;
  readonly prefix: string;
}

const PAGE = 100;

/**
 * A number is counted again after so long, in ms: a restore brings items back and leaves it as it
 * is. Counting reads all items, so neither a creation nor a refusal does it more often.
 */
const COUNTED_EVERY_MS = 60 * 60 * 1000;

/** How often a creation is tried beside others of its tenant, and the longest pause, in ms. */
const ATTEMPTS = 12;
const PAUSE_MS = 100;

async function storedCount({ table, key }: Counted): Promise<Count | undefined> {
  const item = await getItem(table, key);
  return item && countItem.parse(item);
}

async function realCount({ table, tenantId, prefix }: Counted): Promise<number> {
  let count = 0;
  for await (const items of tenantItems(table, { tenantId, prefix, after: undefined, pageSize: PAGE }))
    count += items.length;
  return count;
}

/** The number of now, which is counted again if that is due. */
async function currentCount(counted: Counted, stored: Count | undefined): Promise<Omit<Count, 'version'>> {
  const now = counted.table.platform.clock();
  if (stored !== undefined && now - stored.countedAt < COUNTED_EVERY_MS) return stored;
  return { total: await realCount(counted), countedAt: now };
}

/** The write of another number, if it is still the one that was read. */
function countWrite(
  { table, key }: Counted,
  before: Count | undefined,
  { total, countedAt }: Omit<Count, 'version'>,
): TransactWriteItem {
  const condition =
    before === undefined
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : {
          ConditionExpression: '#version = :before',
          ExpressionAttributeNames: { '#version': 'version' },
          ExpressionAttributeValues: { ':before': before.version },
        };
  const at = { TableName: table.name, ...condition };
  return total === 0 && before !== undefined
    ? { Delete: { ...at, Key: { ...key } } }
    : { Put: { ...at, Item: { ...key, total, countedAt, version: (before?.version ?? 0) + 1 } } };
}

/**
 * Creates one item more, with `writes`, unless there are `most`. Returns the item that is there
 * already, which `find` reads.
 */
export async function createCounted(
  counted: Counted,
  most: number,
  writes: readonly TransactWriteItem[],
  find: () => Promise<Item | undefined>,
): Promise<'created' | 'full' | { readonly found: Item }> {
  const { platform } = counted.table;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const stored = await storedCount(counted);
    const count = await currentCount(counted, stored);
    const isFull = count.total >= most;
    const next = { ...count, total: count.total + 1 };
    if (!isFull && (await transact(counted.table, [...writes, countWrite(counted, stored, next)])))
      return 'created';
    const found = await find();
    if (found !== undefined) return { found };
    if (isFull) {
      if (count !== stored) await transact(counted.table, [countWrite(counted, stored, count)]);
      return 'full';
    }
    // Another creation has changed the number.
    await platform.pause(platform.random.fraction() * PAUSE_MS);
  }
  throw unavailable(new Error('create: the number of items changes all the time'));
}

/** Deletes an item with `writes`. Returns `false` if a condition failed, that of the number too. */
export async function deleteCounted(
  counted: Counted,
  writes: readonly TransactWriteItem[],
): Promise<boolean> {
  const before = await storedCount(counted);
  // Without a number there is nothing to correct: the next creation counts.
  const count =
    before === undefined
      ? []
      : [countWrite(counted, before, { ...before, total: Math.max(0, before.total - 1) })];
  return transact(counted.table, [...writes, ...count]);
}
