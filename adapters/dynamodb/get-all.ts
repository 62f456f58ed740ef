import { setTimeout as sleep } from 'node:timers/promises';
import { BatchGetItemCommand } from '@aws-sdk/client-dynamodb';
import { groups } from './groups.ts';
import type { ItemKey } from './keys.ts';
import { send, toItem, type Item, type Table } from './table-client.ts';

/** Keys that one BatchGetItem takes. */
const BATCH_KEYS = 100;
/** Longest pause before keys that a call has left out are asked for again, in ms. */
const PAUSE_MS = 20;

async function getBatch(
  { client, name }: Table,
  keys: readonly ItemKey[],
  isConsistent: boolean,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let left: Item[] = keys.map((key) => toItem({ ...key }));
  while (left.length > 0) {
    const requested = { [name]: { Keys: left, ConsistentRead: isConsistent } };
    const answer = await send(() => client.send(new BatchGetItemCommand({ RequestItems: requested })));
    items.push(...(answer.Responses?.[name] ?? []));
    left = answer.UnprocessedKeys?.[name]?.Keys ?? [];
    if (left.length > 0) await sleep(Math.random() * PAUSE_MS);
  }
  return items;
}

/** Those of the items that exist, in no order, by as few reads as possible. Keys must differ. */
export async function getAll(
  table: Table,
  keys: readonly ItemKey[],
  { isConsistent = true }: { readonly isConsistent?: boolean } = {},
): Promise<readonly Item[]> {
  const batches = groups(keys, BATCH_KEYS).map((group) => getBatch(table, group, isConsistent));
  return (await Promise.all(batches)).flat();
}
