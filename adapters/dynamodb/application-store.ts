import { GetItemCommand, TransactWriteItemsCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Application } from '../../core/applications/application.ts';
import type { ApplicationStore, CredentialStore } from '../../core/applications/application-store.ts';
import { applicationItemOf, readApplicationItem } from './application-item.ts';
import { applicationKey, credentialKey, type ItemKey } from './keys.ts';
import { send, toItem, type Table } from './table-client.ts';

/** The writes that make a new application and its key known; neither may exist. */
export function applicationWrites(
  table: string,
  application: Application,
  keyHash: Buffer,
): TransactWriteItem[] {
  const put = (key: ItemKey): TransactWriteItem => ({
    Put: {
      TableName: table,
      Item: applicationItemOf(key, application, keyHash),
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  });
  return [put(applicationKey(application.tenantId, application.id)), put(credentialKey(keyHash))];
}

/** Applications in the Access table: one item by id, and one by the hash of the key that authentication reads alone. */
export function createApplicationStore({ client, name }: Table): ApplicationStore & CredentialStore {
  const read = async (key: ItemKey) => {
    const command = new GetItemCommand({ TableName: name, Key: toItem({ ...key }), ConsistentRead: true });
    const { Item: item } = await send(() => client.send(command));
    return item === undefined ? undefined : readApplicationItem(item);
  };
  return {
    async create(application, keyHash) {
      const command = new TransactWriteItemsCommand({
        TransactItems: applicationWrites(name, application, keyHash),
      });
      await send(() => client.send(command));
    },
    async find(tenantId, id) {
      return (await read(applicationKey(tenantId, id)))?.application;
    },
    findByKeyHash(keyHash) {
      return read(credentialKey(keyHash));
    },
  };
}
