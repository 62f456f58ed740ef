// The stores of the service as they are, over a DynamoDB in memory that no other test shares. A
// test that needs what no port offers, such as a forged token, reads and writes the items.
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { MemoryDynamoDb, type Contents } from '../../packages/testing/src/dynamodb/memory-dynamodb.ts';
import { applicationWrites } from '../../src/adapters/dynamodb/application-store.ts';
import {
  ALL_COPIES,
  isTenantKey,
  parseInvocationKey,
  parseReactorKey,
  tenantKey,
  tokenKey,
  type ItemKey,
} from '../../src/adapters/dynamodb/keys.ts';
import { readInvocationItem } from '../../src/adapters/dynamodb/invocation-store.ts';
import { readReactorItem } from '../../src/adapters/dynamodb/reactor-store.ts';
import type { DynamoDb, Table } from '../../src/adapters/dynamodb/table-client.ts';
import { basicsItemOf, readTenantItem, tenantItemOf } from '../../src/adapters/dynamodb/tenant-item.ts';
import { isTombstone, tokenItemOf } from '../../src/adapters/dynamodb/token-item.ts';
import { summaryOf } from '../../src/adapters/dynamodb/token-parts.ts';
import { createTokenStore } from '../../src/adapters/dynamodb/token-store.ts';
import { LIST_SHARDS } from '../../src/adapters/dynamodb/token-tables.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';
import type { Clock } from '../../src/core/shared/clock.ts';
import type { Platform } from '../../src/core/shared/platform.ts';
import type { Application } from '../../src/core/applications/application.ts';
import type { Invocation } from '../../src/core/reactors/invocation.ts';
import type { StoredReactor } from '../../src/core/reactors/reactor.ts';
import type { Tenant } from '../../src/core/tenants/tenant.ts';
import type { UnprovenToken } from '../../src/core/tokens/token.ts';

/**
 * Adapters wait before they repeat a call, which a DynamoDB in memory never makes necessary. The
 * limit of an insert never ends here.
 */
const NEVER_WAITS: Pick<Platform, 'startTimer' | 'pause'> = {
  startTimer: () => () => undefined,
  pause: () => Promise.reject(new Error('a store in memory waited')),
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
  const platform = { ...machinePlatform, clock, ...NEVER_WAITS };
  return { dynamodb, client, platform, table: (name) => ({ client, platform, name }) };
}

type Item = Readonly<Record<string, unknown>>;

/** Yields each item of a table. */
export function* itemsOf({ dynamodb }: MemoryTables, table: string): Generator<Item> {
  const partitions = dynamodb.contents().get(table)?.items.values() ?? [];
  for (const { all } of partitions) for (const { item } of all) yield item;
}

export const keyOf = (item: Item): ItemKey => ({ pk: String(item['pk']), sk: String(item['sk']) });

/** Writes an item under no condition and before it returns, since the engine does so at once. */
export function putItem({ dynamodb }: MemoryTables, table: string, item: Item): void {
  void dynamodb.send(new PutCommand({ TableName: table, Item: item }));
}

/** Deletes an item, before it returns. */
export function removeItem({ dynamodb }: MemoryTables, table: string, key: ItemKey): void {
  void dynamodb.send(new DeleteCommand({ TableName: table, Key: { ...key } }));
}

export const tokenStoreOver = (tables: MemoryTables) =>
  createTokenStore(
    { ...tables, tokensTable: 'Tokens', ephemeralTable: 'Ephemeral', listShards: LIST_SHARDS },
    tables.platform.clock,
  );

/** The items of tokens, as an administrator of the table has them. */
export function tokenItemsOf(tables: MemoryTables) {
  return {
    count: () =>
      [...itemsOf(tables, 'Tokens')].filter((item) => item['sk'] === 'token' && !isTombstone(item)).length,
    /** Writes the item of a token, and nothing else that belongs to it. */
    forge: (token: UnprovenToken) => putItem(tables, 'Tokens', tokenItemOf(summaryOf(token), LIST_SHARDS)),
    remove: ({ tenantId, id }: Pick<UnprovenToken, 'tenantId' | 'id'>) =>
      removeItem(tables, 'Tokens', tokenKey(tenantId, id)),
  };
}

/** The items of tenants, which a test reads between two of its steps. */
export function tenantItemsOf(tables: MemoryTables) {
  return {
    all: (): readonly Tenant[] =>
      [...itemsOf(tables, 'Access')].filter((item) => isTenantKey(keyOf(item))).map(readTenantItem),
    find(id: string): Tenant {
      const item = tables.dynamodb.item('Access', tenantKey(id));
      if (item === undefined) throw new Error('the tenant is missing');
      return readTenantItem(item);
    },
    put(tenant: Tenant): void {
      putItem(tables, 'Access', tenantItemOf(tenant));
      for (const copy of ALL_COPIES) putItem(tables, 'Access', basicsItemOf(tenant, copy));
    },
  };
}

/** Writes an application with its keys, whatever is stored of it. */
export function putApplication(tables: MemoryTables, application: Application): void {
  for (const { Put: { Item: item } = {} } of applicationWrites('Access', application))
    if (item !== undefined) putItem(tables, 'Access', item);
}

/** The contents of tables after some writes, with which any number of tables may begin. */
export function seedOf(write: (tables: MemoryTables) => void): Contents {
  const tables = tablesInMemory();
  write(tables);
  return tables.dynamodb.contents();
}

/** Reads the reactors of all tenants. */
export const reactorsIn = (tables: MemoryTables): readonly StoredReactor[] =>
  [...itemsOf(tables, 'Reactors')]
    .filter((item) => parseReactorKey(keyOf(item)) !== undefined)
    .map(readReactorItem);

/** Reads the invocations of all tenants. */
export const invocationsIn = (tables: MemoryTables): readonly Invocation[] =>
  [...itemsOf(tables, 'Reactors')]
    .filter((item) => parseInvocationKey(keyOf(item)) !== undefined)
    .map(readInvocationItem);
