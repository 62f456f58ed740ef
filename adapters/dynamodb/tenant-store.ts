import {
  ConditionalCheckFailedException,
  GetItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { z } from 'zod';
import type { TenantProfileStore, TenantStore } from '../../core/applications/tenant.ts';
import type { TenantSettings } from '../../core/applications/tenant-settings.ts';
import { KEY_PURPOSES, type WrappedKeyStore } from '../../core/crypto/tenant-keys.ts';
import { applicationWrites } from './application-store.ts';
import { tenantKey } from './keys.ts';
import { fromItem, send, toBuffer, toItem, type Item, type Table } from './table-client.ts';

const wrappedKey = z.object({
  purpose: z.enum(KEY_PURPOSES),
  version: z.number(),
  wrapped: z.instanceof(Uint8Array).transform(toBuffer),
});

const tenantItem = z.object({
  pk: z.string(),
  name: z.string(),
  settings: z.object({ deduplicateTokens: z.boolean() }),
  keys: z.array(wrappedKey),
});

/** The settings in a tenant's item. Throws if it is not one. */
export function tenantSettingsIn(item: Item): TenantSettings {
  return tenantItem.parse(fromItem(item)).settings;
}

/** Tenants and their wrapped keys in the Access table. */
export function createTenantStore({
  client,
  name,
}: Table): TenantStore & TenantProfileStore & WrappedKeyStore {
  async function read(tenantId: string) {
    const command = new GetItemCommand({
      TableName: name,
      Key: toItem({ ...tenantKey(tenantId) }),
      ConsistentRead: true,
    });
    const { Item: item } = await send(() => client.send(command));
    return item === undefined ? undefined : tenantItem.parse(fromItem(item));
  }

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
      return (await read(tenantId))?.keys;
    },

    async profile(tenantId) {
      const tenant = await read(tenantId);
      return tenant && { id: tenant.pk, name: tenant.name, settings: tenant.settings };
    },

    async updateProfile({ id, name: tenantName, settings }) {
      const command = new UpdateItemCommand({
        TableName: name,
        Key: toItem({ ...tenantKey(id) }),
        UpdateExpression: 'SET #name = :name, settings = :settings',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#name': 'name' },
        ExpressionAttributeValues: toItem({ ':name': tenantName, ':settings': settings }),
      });
      try {
        await send(() => client.send(command));
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },
  };
}
