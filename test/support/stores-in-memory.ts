// The stores of the service as they are, over a DynamoDB in memory that no other test shares. A
// test that needs what no port offers, such as a forged token, reads and writes the items.
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { MemoryDynamoDb } from '../../packages/testing/src/dynamodb/memory-dynamodb.ts';
import { tokenKey } from '../../src/adapters/dynamodb/keys.ts';
import type { DynamoDb, Table } from '../../src/adapters/dynamodb/table-client.ts';
import { isTombstone, tokenItemOf } from '../../src/adapters/dynamodb/token-item.ts';
import { summaryOf } from '../../src/adapters/dynamodb/token-parts.ts';
import { createTokenStore } from '../../src/adapters/dynamodb/token-store.ts';
import { LIST_SHARDS } from '../../src/adapters/dynamodb/token-tables.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';
import type { Clock } from '../../src/core/shared/clock.ts';
import type { Platform } from '../../src/core/shared/platform.ts';
import type { UnprovenToken } from '../../src/core/tokens/token.ts';

/** Adapters wait before they repeat a call, which a DynamoDB in memory never makes necessary. */
const neverWaits: Platform['startTimer'] = () => {
  throw new Error('a store in memory waited');
};

/** A test has its own tables, with which no other test interferes. */
export interface MemoryTables extends DynamoDb {
  readonly dynamodb: MemoryDynamoDb;
  readonly table: (name: string) => Table;
}

export function tablesInMemory(clock: Clock = machinePlatform.clock): MemoryTables {
  const dynamodb = new MemoryDynamoDb();
  // The class of the client has more members than the adapters call.
  const client = dynamodb as unknown as DynamoDb['client'];
  const platform = { ...machinePlatform, clock, startTimer: neverWaits };
  return { dynamodb, client, platform, table: (name) => ({ client, platform, name }) };
}

/** Yields each item of a table. */
export function* itemsOf({ dynamodb }: MemoryTables, table: string) {
  const partitions = dynamodb.contents().get(table)?.items.values() ?? [];
  for (const { all } of partitions) for (const { item } of all) yield item;
}

export const tokenStoreOver = (tables: MemoryTables) =>
  createTokenStore(
    { ...tables, tokensTable: 'Tokens', ephemeralTable: 'Ephemeral', listShards: LIST_SHARDS },
    tables.platform.clock,
  );

/** The items of tokens, as an administrator of the table has them. */
export function tokenItemsOf(tables: MemoryTables) {
  const TableName = 'Tokens';
  return {
    count: () =>
      [...itemsOf(tables, TableName)].filter((item) => item['sk'] === 'token' && !isTombstone(item)).length,
    /** Writes the item of a token, and nothing else that belongs to it. */
    async forge(token: UnprovenToken): Promise<void> {
      const Item = tokenItemOf(summaryOf(token), LIST_SHARDS);
      await tables.client.send(new PutCommand({ TableName, Item }));
    },
    async remove({ tenantId, id }: Pick<UnprovenToken, 'tenantId' | 'id'>): Promise<void> {
      await tables.client.send(new DeleteCommand({ TableName, Key: tokenKey(tenantId, id) }));
    },
  };
}
