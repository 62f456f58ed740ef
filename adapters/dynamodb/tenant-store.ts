import { GetItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { z } from 'zod';
import type { TenantStore } from '../../core/applications/tenant.ts';
import { KEY_PURPOSES, type WrappedKeyStore } from '../../core/crypto/tenant-keys.ts';
import { applicationWrites } from './application-store.ts';
import { tenantKey } from './keys.ts';
import { fromItem, send, toBuffer, toItem, type Table } from './table-client.ts';

const tenantItem = z.object({
  keys: z.array(
    z.object({
      purpose: z.enum(KEY_PURPOSES),
      version: z.number(),
      wrapped: z.instanceof(Uint8Array).transform(toBuffer),
    }),
  ),
});

/** Tenants and their wrapped keys in the Access table. */
export function createTenantStore({ client, name }: Table): TenantStore & WrappedKeyStore {
  return {
    async create(tenant, application, keyHash) {
      const { id, name: tenantName, settings, keys, webhookSecret, createdAt } = tenant;
      const item = toItem({ ...tenantKey(id), name: tenantName, settings, keys, webhookSecret, createdAt });
      const put = { Put: { TableName: name, Item: item, ConditionExpression: 'attribute_not_exists(pk)' } };
      const command = new TransactWriteItemsCommand({
        TransactItems: [put, ...applicationWrites(name, application, keyHash)],
      });
      await send(() => client.send(command));
    },
    async wrappedKeys(tenantId) {
      const command = new GetItemCommand({
        TableName: name,
        Key: toItem({ ...tenantKey(tenantId) }),
        ConsistentRead: true,
      });
      const { Item: item } = await send(() => client.send(command));
      return item === undefined ? undefined : tenantItem.parse(fromItem(item)).keys;
    },
  };
}
