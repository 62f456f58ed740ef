import { type TransactWriteItem, type Item, type Table } from './table-client.ts';
import type { Tenant, TenantStore } from '../../core/tenants/tenant.ts';
import { applicationWrites } from './application-store.ts';
import { dueEntries, END_OF_TIME } from './due-index.ts';
import { batchGet, getItem } from './batch-get.ts';
import { ALL_COPIES, isTenantKey, proxyCountKey, tenantCopyKey, tenantKey } from './keys.ts';
import { basicsItemOf, readTenantItem, tenantItemOf } from './tenant-item.ts';
import { sendTransaction, transact } from './transact.ts';

/**
 * Tenants in the Access table. Each has one item by id, and the copies that
 * `tenant-basics-store.ts` reads.
 */
export function createTenantStore(table: Table): TenantStore {
  const { name } = table;

  function puts(tenant: Tenant, condition: object): TransactWriteItem[] {
    const put = (Item: Item, under: object = {}): TransactWriteItem => ({
      Put: { TableName: name, Item, ...under },
    });
    return [
      put(tenantItemOf(tenant), condition),
      ...ALL_COPIES.map((copy) => put(basicsItemOf(tenant, copy))),
    ];
  }

  return {
    async create(tenant, application) {
      const free = { ConditionExpression: 'attribute_not_exists(pk)' };
      await sendTransaction(table, [...puts(tenant, free), ...applicationWrites(name, application)]);
    },

    async find(tenantId) {
      const item = await getItem(table, tenantKey(tenantId));
      return item && readTenantItem(item);
    },

    update: ({ version }, next) =>
      transact(
        table,
        puts(next, {
          ConditionExpression: 'version = :version',
          ExpressionAttributeValues: { ':version': version },
        }),
      ),

    async remove(tenantId) {
      const keys = [
        tenantKey(tenantId),
        proxyCountKey(tenantId),
        ...ALL_COPIES.map((copy) => tenantCopyKey(tenantId, copy)),
      ];
      await sendTransaction(
        table,
        keys.map((key) => ({ Delete: { TableName: name, Key: key } })),
      );
    },

    async *list() {
      for await (const entries of dueEntries(table, END_OF_TIME)) {
        const keys = entries.flatMap(({ key }) => (isTenantKey(key) ? [key] : []));
        yield (await batchGet(table, keys)).map(readTenantItem);
      }
    },
  };
}
