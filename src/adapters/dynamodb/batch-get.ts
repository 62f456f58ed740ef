import { BatchGetCommand, type BatchGetCommandInput } from '@aws-sdk/lib-dynamodb';
import DataLoader from 'dataloader';
import type { ItemKey } from './keys.ts';
import { unavailable } from '../aws/dependency-error.ts';
import { send, type DynamoDb, type Item, type Table } from './table-client.ts';

/** Most keys that AWS allows in one BatchGetItem. */
const BATCH_KEYS = 100;
/**
 * How often unprocessed keys are requested again, and the longest pause before the first repeat, in
 * ms. The pause doubles each time.
 */
const ATTEMPTS = 7;
const PAUSE_MS = 20;

/** Identifies one item of one table. */
interface WantedItem {
  readonly table: string;
  readonly key: ItemKey;
}

const nameOf = (table: string, pk: unknown, sk: unknown) => JSON.stringify([table, pk, sk]);

type Requests = NonNullable<BatchGetCommandInput['RequestItems']>;

function requestsOf(wanted: readonly WantedItem[], isConsistent: boolean): Requests {
  const requests: Record<string, { Keys: Item[]; ConsistentRead: boolean }> = {};
  const seen = new Set<string>();
  for (const { table, key } of wanted) {
    const name = nameOf(table, key.pk, key.sk);
    if (seen.has(name)) continue;
    seen.add(name);
    (requests[table] ??= { Keys: [], ConsistentRead: isConsistent }).Keys.push({ ...key });
  }
  return requests;
}

/**
 * Returns the items in the order of the requested keys, with `undefined` for one that does not
 * exist.
 */
async function getBatch(
  { client, platform }: DynamoDb,
  wanted: readonly WantedItem[],
  isConsistent: boolean,
): Promise<readonly (Item | undefined)[]> {
  const found = new Map<string, Item>();
  let left: Requests = requestsOf(wanted, isConsistent);
  for (let attempt = 0; Object.keys(left).length > 0; attempt += 1) {
    if (attempt > ATTEMPTS) throw unavailable(new Error('get all: keys stay unprocessed'));
    // DynamoDB throttles. An immediate repeat, or a repeat of keys that were returned, would make
    // it worse.
    if (attempt > 0) await platform.pause(platform.random.fraction() * PAUSE_MS * 2 ** (attempt - 1));
    const command = new BatchGetCommand({ RequestItems: left });
    const response = await send(platform, () => client.send(command));
    for (const [table, items] of Object.entries(response.Responses ?? {}))
      for (const item of items) found.set(nameOf(table, item['pk'], item['sk']), item);
    left = response.UnprocessedKeys ?? {};
  }
  return wanted.map(({ table, key }) => found.get(nameOf(table, key.pk, key.sk)));
}

type Loader = DataLoader<WantedItem, Item | undefined>;

/**
 * One loader for each client. All reads in one turn of the event loop share a call, whichever table
 * they read.
 */
const consistent = new WeakMap<DynamoDb['client'], Loader>();
const eventual = new WeakMap<DynamoDb['client'], Loader>();

function loaderOf(dynamodb: DynamoDb, isConsistent: boolean): Loader {
  const known = isConsistent ? consistent : eventual;
  let loader = known.get(dynamodb.client);
  if (loader === undefined) {
    loader = new DataLoader((wanted) => getBatch(dynamodb, wanted, isConsistent), {
      cache: false,
      maxBatchSize: BATCH_KEYS,
    });
    known.set(dynamodb.client, loader);
  }
  return loader;
}

/**
 * The newest version of an item; `undefined` if there is none. Reads in one turn of the event loop
 * share a call.
 */
export function getItem(table: Table, key: ItemKey): Promise<Item | undefined> {
  return loaderOf(table, true).load({ table: table.name, key });
}

/** The items that exist, in any order, read with as few calls as possible. */
export async function batchGet(
  table: Table,
  keys: readonly ItemKey[],
  { isConsistent = true }: { readonly isConsistent?: boolean } = {},
): Promise<readonly Item[]> {
  const loader = loaderOf(table, isConsistent);
  const items = await Promise.all(keys.map((key) => loader.load({ table: table.name, key })));
  return items.filter((item) => item !== undefined);
}
