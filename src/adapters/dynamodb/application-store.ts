import { type TransactWriteItem, type Item, type Table } from './table-client.ts';
import type { Application } from '../../core/applications/application.ts';
import type { ApplicationStore } from '../../core/applications/application-store.ts';
import { isUuid } from '../../core/shared/is-uuid.ts';
import {
  applicationItemOf,
  grantsItemOf,
  readApplicationItem,
  type StoredApplication,
} from './application-item.ts';
import { batchGet, getItem } from './batch-get.ts';
import {
  ALL_COPIES,
  APPLICATION_PREFIX,
  applicationKey,
  credentialKey,
  grantsKey,
  type ItemKey,
} from './keys.ts';
import { transact } from './transact.ts';
import { tenantItems } from './tenant-items.ts';

const PAGE = 200;

const FREE = { ConditionExpression: 'attribute_not_exists(pk)' };

/** The writes that store an application and all copies of its grants. */
function puts(table: string, stored: StoredApplication, condition: object): TransactWriteItem[] {
  const { tenantId, id } = stored.application;
  const put = (Item: Item, under: object = {}): TransactWriteItem => ({
    Put: { TableName: table, Item, ...under },
  });
  return [
    put(applicationItemOf(applicationKey(tenantId, id), stored), condition),
    ...copyKeys(stored).map((key) => put(grantsItemOf(key, stored))),
  ];
}

/**
 * The keys of the copies. Every write to them also writes the application under its condition,
 * which covers the copies too.
 */
const copyKeys = ({ application: { tenantId, id }, keyHash }: StoredApplication): readonly ItemKey[] =>
  ALL_COPIES.flatMap((copy) => [credentialKey(keyHash, copy), grantsKey(tenantId, id, copy)]);

/**
 * The writes that store a new application and its key. Its id must be free. A key of 256 random
 * bits always is.
 */
export function applicationWrites(
  table: string,
  application: Application,
  keyHash: Buffer,
): TransactWriteItem[] {
  return puts(table, { application, keyHash }, FREE);
}

/** The condition that the application still has the version and the key that were read. */
function unchanged({ application, keyHash }: StoredApplication) {
  return {
    ConditionExpression: 'version = :version AND keyHash = :keyHash',
    ExpressionAttributeValues: { ':version': application.version, ':keyHash': keyHash },
  };
}

/**
 * Applications in the Access table. Each has one item by id, and copies of its grants by id and by
 * the hash of its key. Authentication reads only the latter.
 */
export function createApplicationStore(table: Table): ApplicationStore {
  const { name } = table;

  async function read(tenantId: string, id: string): Promise<StoredApplication | undefined> {
    const item = await getItem(table, applicationKey(tenantId, id));
    return item === undefined ? undefined : readApplicationItem(item);
  }

  const remove = (key: ItemKey, condition: object = {}): TransactWriteItem => ({
    Delete: { TableName: name, Key: key, ...condition },
  });

  /**
   * The stored form of a version, with its key; `undefined` if the version is no longer the current
   * one.
   */
  async function current({ tenantId, id, version }: Application): Promise<StoredApplication | undefined> {
    const stored = await read(tenantId, id);
    return stored?.application.version === version ? stored : undefined;
  }

  return {
    create: (application, keyHash) => transact(table, applicationWrites(name, application, keyHash)),

    async find(tenantId, id) {
      return isUuid(id) ? (await read(tenantId, id))?.application : undefined;
    },

    async findMany(tenantId, ids) {
      const keys = [...new Set(ids)].filter(isUuid).map((id) => applicationKey(tenantId, id));
      return (await batchGet(table, keys)).map((item) => readApplicationItem(item).application);
    },

    async *list(tenantId, after) {
      const listing = {
        tenantId,
        prefix: APPLICATION_PREFIX,
        after: after === undefined ? undefined : applicationKey(tenantId, after),
        pageSize: PAGE,
      };
      for await (const items of tenantItems(table, listing))
        yield items.map((item) => readApplicationItem(item).application);
    },

    async update(previous, next) {
      const stored = await current(previous);
      if (stored === undefined) return false;
      return transact(table, puts(name, { ...stored, application: next }, unchanged(stored)));
    },

    async replaceKey(previous, next, keyHash) {
      const stored = await current(previous);
      if (stored === undefined) return false;
      return transact(table, [
        ...puts(name, { application: next, keyHash }, unchanged(stored)),
        ...ALL_COPIES.map((copy) => remove(credentialKey(stored.keyHash, copy))),
      ]);
    },

    async delete(application) {
      const stored = await current(application);
      if (stored === undefined) return false;
      const own = applicationKey(application.tenantId, application.id);
      return transact(table, [remove(own, unchanged(stored)), ...copyKeys(stored).map((key) => remove(key))]);
    },
  };
}
