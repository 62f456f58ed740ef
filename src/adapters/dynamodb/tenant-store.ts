import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Tenant, TenantBasicsStore, TenantStore } from '../../core/tenants/tenant.ts';
import type { KeyRingStore } from '../../core/crypto/tenant-keys.ts';
import { applicationWrites } from './application-store.ts';
import { dueEntries, END_OF_TIME } from './due-index.ts';
import { getAll, getItem } from './get-all.ts';
import { ALL_COPIES, isTenantKey, someCopy, tenantCopyKey, tenantKey } from './keys.ts';
import { toItem, type Item, type Table } from './table-client.ts';
import { basicsItemOf, readBasicsItem, readTenantItem, tenantItemOf } from './tenant-item.ts';
import { sendTransaction, transact } from './transact.ts';

/** Tenants in the Access table: one item by id, and copies of what every request may need. */
export function createTenantStore(table: Table): TenantStore & TenantBasicsStore & KeyRingStore {
  const { client, name } = table;

  function puts(tenant: Tenant, condition: object): TransactWriteItem[] {
    const put = (Item: Item, under: object = {}): TransactWriteItem => ({
      Put: { TableName: name, Item, ...under },
    });
    return [
      put(tenantItemOf(tenant), condition),
      ...ALL_COPIES.map((copy) => put(basicsItemOf(tenant, copy))),
    ];
  }

  async function basics(tenantId: string) {
    const item = await getItem(table, tenantCopyKey(tenantId, someCopy()));
    return item && readBasicsItem(item);
  }

  return {
    basics,
    keyRing: basics,

    async create(tenant, application, keyHash) {
      const free = { ConditionExpression: 'attribute_not_exists(pk)' };
      await sendTransaction(client, [
        ...puts(tenant, free),
        ...applicationWrites(name, application, keyHash),
      ]);
    },

    async find(tenantId) {
      const item = await getItem(table, tenantKey(tenantId));
      return item && readTenantItem(item);
    },

    update: ({ version }, next) =>
      transact(
        client,
        puts(next, {
          ConditionExpression: 'version = :version',
          ExpressionAttributeValues: toItem({ ':version': version }),
        }),
      ),

    async remove(tenantId) {
      const keys = [tenantKey(tenantId), ...ALL_COPIES.map((copy) => tenantCopyKey(tenantId, copy))];
      await sendTransaction(
        client,
        keys.map((key) => ({ Delete: { TableName: name, Key: toItem({ ...key }) } })),
      );
    },

    async *list() {
      for await (const entries of dueEntries(table, END_OF_TIME)) {
        const keys = entries.flatMap(({ key }) => (isTenantKey(key) ? [key] : []));
        yield (await getAll(table, keys)).map(readTenantItem);
      }
    },
  };
}
