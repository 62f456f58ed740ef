import {
  DeleteItemCommand,
  GetItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import type { TenantProfileStore, TenantStore } from '../../core/applications/tenant.ts';
import type { TenantSettings } from '../../core/applications/tenant-settings.ts';
import type { WebhookSecretStore } from '../../core/webhooks/webhook-secrets.ts';
import { KEY_PURPOSES, type WrappedKeyStore } from '../../core/crypto/tenant-keys.ts';
import type { TenantEnd } from '../../core/operations/destroy-tenant.ts';
import type { TenantKeyRing } from '../../core/operations/rotate-data-key.ts';
import { sortableTime } from '../../core/shared/position.ts';
import { applicationWrites } from './application-store.ts';
import { dueEntries, END_OF_TIME } from './due-index.ts';
import { getAll } from './get-all.ts';
import { isTenantKey, tenantKey } from './keys.ts';
import { binary, fromItem, send, toItem, type Item, type Table } from './table-client.ts';
import { dueAt } from './token-item.ts';
import { sendTransaction } from './transact.ts';
import { writeIf, type RefusedWrite } from './write-if.ts';

const wrappedKey = z.object({
  purpose: z.enum(KEY_PURPOSES),
  version: z.number(),
  wrapped: binary,
});

const webhookItem = z.object({
  webhookSecret: binary,
  previousWebhookSecret: z.optional(binary),
  previousWebhookUntil: z.optional(z.number()),
});

const tenantItem = z.object({
  pk: z.string(),
  name: z.string(),
  settings: z.object({ deduplicateTokens: z.boolean() }),
  // Absent once they were destroyed.
  keys: z._default(z.array(wrappedKey), []),
  createdAt: z.number(),
  rotateAt: z.number(),
});

/** The settings in a tenant's item. Throws if it is not one. */
export function tenantSettingsIn(item: Item): TenantSettings {
  return tenantItem.parse(fromItem(item)).settings;
}

/** Tenants and their wrapped keys in the Access table. */
export function createTenantStore({
  client,
  name,
}: Table): TenantStore &
  TenantProfileStore &
  WrappedKeyStore &
  WebhookSecretStore &
  TenantKeyRing &
  TenantEnd {
  async function readItem(tenantId: string) {
    const command = new GetItemCommand({
      TableName: name,
      Key: toItem({ ...tenantKey(tenantId) }),
      ConsistentRead: true,
    });
    const { Item: item } = await send(() => client.send(command));
    return item && fromItem(item);
  }

  async function read(tenantId: string) {
    const item = await readItem(tenantId);
    return item && tenantItem.parse(item);
  }

  /** Changes a tenant's item under a condition. */
  async function updateItem(
    tenantId: string,
    update: Omit<UpdateItemCommandInput, 'TableName' | 'Key'>,
  ): Promise<'written' | RefusedWrite> {
    const command = new UpdateItemCommand({
      TableName: name,
      Key: toItem({ ...tenantKey(tenantId) }),
      ...update,
    });
    return writeIf(client, command);
  }

  return {
    async create(tenant, application, keyHash) {
      const { id, name: tenantName, ...rest } = tenant;
      const item = toItem({ ...tenantKey(id), name: tenantName, ...rest, ...dueAt(id, rest.rotateAt) });
      const put = { Put: { TableName: name, Item: item, ConditionExpression: 'attribute_not_exists(pk)' } };
      await sendTransaction(client, [put, ...applicationWrites(name, application, keyHash)]);
    },

    async wrappedKeys(tenantId) {
      const keys = (await read(tenantId))?.keys;
      return keys === undefined || keys.length === 0 ? undefined : keys;
    },

    async *list() {
      for await (const entries of dueEntries({ client, name }, END_OF_TIME)) {
        const tenants = entries.flatMap(({ key }) => (isTenantKey(key) ? [key] : []));
        const items = await getAll({ client, name }, tenants);
        yield items.map((item) => {
          const { pk, name: tenantName, keys, createdAt, rotateAt } = tenantItem.parse(fromItem(item));
          return { id: pk, name: tenantName, createdAt, rotateAt, isDestroyed: keys.length === 0 };
        });
      }
    },

    async keyRing(tenantId) {
      const tenant = await read(tenantId);
      return tenant && { keys: tenant.keys, rotateAt: tenant.rotateAt };
    },

    async addKey(tenantId, before, added, rotateAt) {
      const outcome = await updateItem(tenantId, {
        UpdateExpression: 'SET #keys = list_append(#keys, :added), rotateAt = :at, dueSk = :dueSk',
        // Keys are only ever added, one at a time.
        ConditionExpression: 'size(#keys) = :count',
        ExpressionAttributeNames: { '#keys': 'keys' },
        ExpressionAttributeValues: toItem({
          ':added': [added],
          ':at': rotateAt,
          ':dueSk': sortableTime(rotateAt),
          ':count': before.length,
        }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      if (outcome === 'written') return true;
      // An earlier attempt has added this very key: no two wrapped keys are equal.
      const last = outcome.found && tenantItem.parse(fromItem(outcome.found)).keys.at(-1);
      return last?.wrapped.equals(added.wrapped) === true;
    },

    async destroyKeys(tenantId) {
      const outcome = await updateItem(tenantId, {
        UpdateExpression:
          'REMOVE #keys, webhookSecret, previousWebhookSecret SET rotateAt = :never, dueSk = :dueSk',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#keys': 'keys' },
        ExpressionAttributeValues: toItem({ ':never': END_OF_TIME, ':dueSk': sortableTime(END_OF_TIME) }),
      });
      return outcome === 'written';
    },

    async removeTenant(tenantId) {
      const command = new DeleteItemCommand({ TableName: name, Key: toItem({ ...tenantKey(tenantId) }) });
      await send(() => client.send(command));
    },

    async profile(tenantId) {
      const tenant = await read(tenantId);
      return tenant && { id: tenant.pk, name: tenant.name, settings: tenant.settings };
    },

    async webhookSecrets(tenantId) {
      const item = await readItem(tenantId);
      if (item === undefined) return undefined;
      const { webhookSecret, previousWebhookSecret, previousWebhookUntil } = webhookItem.parse(item);
      return {
        current: webhookSecret,
        ...(previousWebhookSecret !== undefined &&
          previousWebhookUntil !== undefined && {
            previous: { sealed: previousWebhookSecret, until: previousWebhookUntil },
          }),
      };
    },

    async replaceWebhookSecrets(tenantId, before, { current, previous }) {
      const outcome = await updateItem(tenantId, {
        UpdateExpression:
          'SET webhookSecret = :current, previousWebhookSecret = :previous, previousWebhookUntil = :until',
        // The new one is there if an earlier attempt lost its response.
        ConditionExpression: 'webhookSecret IN (:before, :current)',
        ExpressionAttributeValues: toItem({
          ':current': current,
          ':before': before,
          ':previous': previous?.sealed ?? before,
          ':until': previous?.until ?? 0,
        }),
      });
      return outcome === 'written';
    },

    async updateProfile({ id, name: tenantName, settings }) {
      const outcome = await updateItem(id, {
        UpdateExpression: 'SET #name = :name, settings = :settings',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#name': 'name' },
        ExpressionAttributeValues: toItem({ ':name': tenantName, ':settings': settings }),
      });
      return outcome === 'written';
    },
  };
}
