import { randomUUID } from 'node:crypto';
import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { chunk } from '../../../src/adapters/dynamodb/chunk.ts';
import { shardOf } from '../../../src/adapters/dynamodb/keys.ts';
import { tokenWrites } from '../../../src/adapters/dynamodb/token-writes.ts';
import type { Item } from '../../../src/adapters/dynamodb/table-client.ts';
import type { TokenTables } from '../../../src/adapters/dynamodb/token-tables.ts';
import type { StoredToken } from '../../../src/core/tokens/token.ts';

/** BatchWriteItem accepts at most this many items. */
const BATCH = 25;
const AT_ONCE = 4;

/**
 * An id in a shard of the list: even shards, so that the random distribution of ids does not affect
 * the comparison.
 */
export function idInShard(shard: number, shards: number): string {
  for (;;) {
    const id = randomUUID();
    if (shardOf(id, shards) === shard) return id;
  }
}

async function write(client: DynamoDBDocumentClient, table: string, items: readonly Item[]) {
  const requests = items.map((item) => ({ PutRequest: { Item: item } }));
  const { UnprocessedItems } = await client.send(
    new BatchWriteCommand({ RequestItems: { [table]: requests } }),
  );
  if (UnprocessedItems?.[table] !== undefined) throw new Error('some items were not written');
}

/** Writes items to a table unconditionally. */
export async function putAll(
  client: DynamoDBDocumentClient,
  table: string,
  items: Iterable<Item>,
): Promise<void> {
  let waiting: Item[] = [];
  const flush = async () => {
    const batches = chunk(waiting, BATCH);
    waiting = [];
    await Promise.all(batches.map((batch) => write(client, table, batch)));
  };
  for (const item of items) {
    waiting.push(item);
    if (waiting.length >= BATCH * AT_ONCE) await flush();
  }
  await flush();
}

/**
 * Writes tokens and the entries of their terms to the tables like the store, without its
 * conditions: in a third of the time. Only for new, small tokens.
 */
export async function fill(tables: TokenTables, tokens: Iterable<StoredToken>): Promise<void> {
  const writes = tokenWrites(tables);
  function* items() {
    for (const token of tokens) {
      yield writes.token(token, '').Item;
      for (const term of token.terms) yield writes.entry(token, term).Put?.Item ?? {};
    }
  }
  await putAll(tables.client, tables.tokensTable, items());
}
