import { BatchGetItemCommand, GetItemCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Application } from '../../core/applications/application.ts';
import type { ApplicationStore } from '../../core/applications/application-store.ts';
import { applicationItemOf, readApplicationItem, type StoredApplication } from './application-item.ts';
import { APPLICATION_PREFIX, applicationKey, credentialKey, isUuid, type ItemKey } from './keys.ts';
import { transact } from './transact.ts';
import { send, toItem, type Item, type Table } from './table-client.ts';
import { tenantItems } from './tenant-items.ts';

const BATCH_KEYS = 100;
const PAGE = 200;

const FREE = { ConditionExpression: 'attribute_not_exists(pk)' };

/** The two items of an application; only the one by id stands in the due index. */
function puts(
  table: string,
  stored: StoredApplication,
  own: object,
  credential: object,
): TransactWriteItem[] {
  const { tenantId, id } = stored.application;
  const put = (key: ItemKey, isDue: boolean, condition: object): TransactWriteItem => ({
    Put: { TableName: table, Item: applicationItemOf(key, stored, { isDue }), ...condition },
  });
  return [
    put(applicationKey(tenantId, id), true, own),
    put(credentialKey(stored.keyHash), false, credential),
  ];
}

/** The writes that make a new application and its key known; neither may exist. */
export function applicationWrites(
  table: string,
  application: Application,
  keyHash: Buffer,
): TransactWriteItem[] {
  return puts(table, { application, keyHash }, FREE, FREE);
}

/** The condition that an application is the version that was read, under the key that was read with it. */
function unchanged({ application, keyHash }: StoredApplication) {
  return {
    ConditionExpression: 'version = :version AND keyHash = :keyHash',
    ExpressionAttributeValues: toItem({ ':version': application.version, ':keyHash': keyHash }),
  };
}

/** Applications in the Access table: one item by id, and one by the hash of the key that authentication reads alone. */
export function createApplicationStore({ client, name }: Table): ApplicationStore {
  async function read(key: ItemKey): Promise<StoredApplication | undefined> {
    const command = new GetItemCommand({ TableName: name, Key: toItem({ ...key }), ConsistentRead: true });
    const { Item: item } = await send(() => client.send(command));
    return item === undefined ? undefined : readApplicationItem(item);
  }

  const removeCredential = (keyHash: Buffer): TransactWriteItem => ({
    Delete: { TableName: name, Key: toItem({ ...credentialKey(keyHash) }) },
  });

  /** The stored form of a version, with its key; `undefined` if it is not the current one any more. */
  async function current(application: Application): Promise<StoredApplication | undefined> {
    const stored = await read(applicationKey(application.tenantId, application.id));
    return stored?.application.version === application.version ? stored : undefined;
  }

  return {
    create: (application, keyHash) => transact(client, applicationWrites(name, application, keyHash)),

    async find(tenantId, id) {
      return isUuid(id) ? (await read(applicationKey(tenantId, id)))?.application : undefined;
    },

    async findMany(tenantId, ids) {
      const keys = [...new Set(ids)].filter(isUuid).map((id) => toItem({ ...applicationKey(tenantId, id) }));
      const found: Application[] = [];
      for (let pending: Item[] = keys; pending.length > 0;) {
        const [now, later] = [pending.slice(0, BATCH_KEYS), pending.slice(BATCH_KEYS)];
        const command = new BatchGetItemCommand({
          RequestItems: { [name]: { Keys: now, ConsistentRead: true } },
        });
        const answer = await send(() => client.send(command));
        found.push(...(answer.Responses?.[name] ?? []).map((item) => readApplicationItem(item).application));
        pending = [...(answer.UnprocessedKeys?.[name]?.Keys ?? []), ...later];
      }
      return found;
    },

    async *list(tenantId, after) {
      const listing = {
        tenantId,
        prefix: APPLICATION_PREFIX,
        after: after === undefined ? undefined : applicationKey(tenantId, after),
        pageSize: PAGE,
      };
      for await (const items of tenantItems({ client, name }, listing))
        yield items.map((item) => readApplicationItem(item).application);
    },

    async update(previous, next) {
      const stored = await current(previous);
      if (stored === undefined) return false;
      return transact(
        client,
        puts(name, { ...stored, application: next }, unchanged(stored), unchanged(stored)),
      );
    },

    async replaceKey(previous, next, keyHash) {
      const stored = await current(previous);
      if (stored === undefined) return false;
      return transact(client, [
        ...puts(name, { application: next, keyHash }, unchanged(stored), FREE),
        removeCredential(stored.keyHash),
      ]);
    },

    async delete(application) {
      const stored = await current(application);
      if (stored === undefined) return false;
      const key = toItem({ ...applicationKey(application.tenantId, application.id) });
      return transact(client, [
        { Delete: { TableName: name, Key: key, ...unchanged(stored) } },
        removeCredential(stored.keyHash),
      ]);
    },
  };
}
