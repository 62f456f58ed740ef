import * as z from 'zod/mini';
import { unavailable } from '../aws/dependency-error.ts';
import { getItem } from './batch-get.ts';
import type { ItemKey } from './keys.ts';
import type { Item, Table, TransactWriteItem } from './table-client.ts';
import { tenantItems } from './tenant-items.ts';
import { transact } from './transact.ts';

const countItem = z.lazy(() => z.object({ total: z.number() }));

/** The items of a tenant whose sort keys have a prefix are counted. */
interface Counted {
  readonly table: Table;
  readonly tenantId: string;
  /** The item that has their number. There is none for none. */
  readonly key: ItemKey;
  readonly prefix: string;
}

const PAGE = 100;

/** How often a creation is tried beside others of its tenant, and the longest pause, in ms. */
const ATTEMPTS = 12;
const PAUSE_MS = 100;

/** The number as it is stored; absent if nothing was created yet. */
async function storedCount({ table, key }: Counted): Promise<number | undefined> {
  const item = await getItem(table, key);
  return item && countItem.parse(item).total;
}

/** Counts the items themselves. A restore of single items leaves a wrong number. */
async function realCount({ table, tenantId, prefix }: Counted): Promise<number> {
  let count = 0;
  for await (const items of tenantItems(table, { tenantId, prefix, after: undefined, pageSize: PAGE }))
    count += items.length;
  return count;
}

/** The write of another number, if it is still the one that was read. */
function countWrite({ table, key }: Counted, before: number | undefined, next: number): TransactWriteItem {
  const condition =
    before === undefined
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : {
          ConditionExpression: '#total = :before',
          ExpressionAttributeNames: { '#total': 'total' },
          ExpressionAttributeValues: { ':before': before },
        };
  const at = { TableName: table.name, ...condition };
  return next === 0 && before !== undefined
    ? { Delete: { ...at, Key: { ...key } } }
    : { Put: { ...at, Item: { ...key, total: next } } };
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
    const before = await storedCount(counted);
    const count = (before ?? 0) < most ? (before ?? 0) : await realCount(counted);
    if (count < most && (await transact(counted.table, [...writes, countWrite(counted, before, count + 1)])))
      return 'created';
    const found = await find();
    if (found !== undefined) return { found };
    if (count >= most) return 'full';
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
  // Without a number there is nothing to correct.
  const count = before === undefined ? [] : [countWrite(counted, before, Math.max(0, before - 1))];
  return transact(counted.table, [...writes, ...count]);
}
