import { setTimeout as sleep } from 'node:timers/promises';
import { BatchGetItemCommand } from '@aws-sdk/client-dynamodb';
import { groups } from './groups.ts';
import type { ItemKey } from './keys.ts';
import { unavailable } from '../aws/dependency-error.ts';
import { send, toItem, type Item, type Table } from './table-client.ts';

/** Keys that one BatchGetItem takes. */
const BATCH_KEYS = 100;
/** Times that keys are asked for which a call has left out, and the longest pause before the first of them, in ms; it doubles. */
const [ATTEMPTS, PAUSE_MS] = [7, 20] as const;

async function getBatch(
  { client, name }: Table,
  keys: readonly ItemKey[],
  isConsistent: boolean,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let left: Item[] = keys.map((key) => toItem({ ...key }));
  for (let attempt = 0; left.length > 0; attempt += 1) {
    if (attempt > ATTEMPTS) throw unavailable(new Error('get all: keys stay unprocessed'));
    // DynamoDB is throttled: to ask again at once, or for more than is missing, adds to that.
    if (attempt > 0) await sleep(Math.random() * PAUSE_MS * 2 ** (attempt - 1));
    const requested = { [name]: { Keys: left, ConsistentRead: isConsistent } };
    const answer = await send(() => client.send(new BatchGetItemCommand({ RequestItems: requested })));
    items.push(...(answer.Responses?.[name] ?? []));
    left = answer.UnprocessedKeys?.[name]?.Keys ?? [];
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
