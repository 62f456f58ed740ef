import { type TransactWriteItem, type Item, type Table } from './table-client.ts';
import type { Application } from '../../core/applications/application.ts';
import { RETIRED_MS } from '../../core/access/credential-store.ts';
import type { ApplicationKey } from '../../core/applications/application-key.ts';
import type { ApplicationStore } from '../../core/applications/application-store.ts';
import { isUuid } from '../../core/shared/is-uuid.ts';
import { sameJson } from '../../core/shared/same-json.ts';
import {
  applicationItemOf,
  credentialMembers,
  grantsItemOf,
  readApplicationItem,
  readCredentialItem,
  readRetiredKey,
  ttlOf,
} from './application-item.ts';
import { batchGet, getItem } from './batch-get.ts';
import { createExternalIds, externalIdWrites } from './external-ids.ts';
import {
  ALL_COPIES,
  APPLICATION_PREFIX,
  applicationKey,
  credentialKey,
  FIRST_COPY,
  grantsKey,
  RETIRED_PREFIX,
  retiredKey,
  type ItemKey,
} from './keys.ts';
import { transact } from './transact.ts';
import { tenantItems } from './tenant-items.ts';
import { timeToLive } from './token-item.ts';

const PAGE = 200;
/** The day of the last use of a key that was not used yet. It sorts before all days. */
const NEVER = '';

const FREE = { ConditionExpression: 'attribute_not_exists(pk)' };

const put = (table: string, item: Item, condition: object = {}): TransactWriteItem => ({
  Put: { TableName: table, Item: item, ...condition },
});

const remove = (table: string, key: ItemKey, condition: object = {}): TransactWriteItem => ({
  Delete: { TableName: table, Key: key, ...condition },
});

/** Writes all copies of a new key. */
const putKey = (table: string, application: Application, key: ApplicationKey): TransactWriteItem[] =>
  ALL_COPIES.map((copy) =>
    put(table, {
      ...credentialKey(key.hash, copy),
      ...credentialMembers(application, key),
      ...(copy === FIRST_COPY && { lastUsedOn: NEVER }),
    }),
  );

/** Replaces all copies of a key, and leaves the day of its last use. */
const changeKey = (table: string, application: Application, key: ApplicationKey): TransactWriteItem[] =>
  ALL_COPIES.map((copy) => {
    const members = Object.entries(credentialMembers(application, key));
    const set = members.filter(([, value]) => value !== undefined);
    const removed = members.filter(([, value]) => value === undefined);
    return {
      Update: {
        TableName: table,
        Key: credentialKey(key.hash, copy),
        // Nothing makes a key of a tombstone.
        ConditionExpression: 'attribute_not_exists(isRetired)',
        UpdateExpression: [
          `SET ${set.map(([name]) => `#${name} = :${name}`).join(', ')}`,
          ...(removed.length === 0 ? [] : [`REMOVE ${removed.map(([name]) => `#${name}`).join(', ')}`]),
        ].join(' '),
        ExpressionAttributeNames: Object.fromEntries(members.map(([name]) => [`#${name}`, name])),
        ExpressionAttributeValues: Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
      },
    };
  });

/**
 * Puts tombstones in the place of all copies of a key, which says for 30 days whose it was, and a
 * record by which the destruction of the tenant finds them.
 */
function retireKey(
  table: string,
  { tenantId, id, expiresAtMs: applicationEnd = Infinity }: Application,
  { id: keyId, hash: keyHash, expiresAtMs = Infinity }: ApplicationKey,
  now: number,
): TransactWriteItem[] {
  const gone = { tenantId, applicationId: id, keyId, keyHash, sourceAddresses: [], isRetired: true };
  const ttl = timeToLive(now + RETIRED_MS);
  // A key that had ended is not revoked by its deletion.
  const endedAtMs = Math.min(expiresAtMs, applicationEnd);
  const ended = endedAtMs <= now ? { endedAtMs } : {};
  return [
    ...ALL_COPIES.map((copy) => put(table, { ...credentialKey(keyHash, copy), ...gone, ttl })),
    put(table, { ...retiredKey(tenantId, keyId), applicationId: id, keyHash, ...ended, ttl }),
  ];
}

/** The writes that bring all copies of keys from one version of an application to another. */
function keyWrites(
  table: string,
  previous: Application,
  next: Application,
  now: number,
): TransactWriteItem[] {
  const before = new Map(previous.keys.map((key) => [key.id, key]));
  const after = new Set(next.keys.map(({ id }) => id));
  return [
    ...next.keys.flatMap((key) => {
      const known = before.get(key.id);
      if (known === undefined) return putKey(table, next, key);
      const isSame = sameJson(credentialMembers(previous, known), credentialMembers(next, key));
      // The copies of a key that has expired long ago may be gone.
      const isForgotten = (key.expiresAtMs ?? Infinity) + RETIRED_MS <= now;
      return isSame || isForgotten ? [] : changeKey(table, next, key);
    }),
    ...previous.keys.filter(({ id }) => !after.has(id)).flatMap((key) => retireKey(table, next, key, now)),
  ];
}

/**
 * The writes that store an application and all copies of its grants. Every write to a copy also
 * writes the application under its condition, which covers the copies too.
 */
const ownWrites = (table: string, application: Application, condition: object): TransactWriteItem[] => [
  put(table, applicationItemOf(applicationKey(application.tenantId, application.id), application), condition),
  ...ALL_COPIES.map((copy) =>
    put(table, grantsItemOf(grantsKey(application.tenantId, application.id, copy), application)),
  ),
];

/**
 * The writes that store a new application and its keys. Its id must be free. A key of 256 random
 * bits always is.
 */
export const applicationWrites = (table: string, application: Application): TransactWriteItem[] => [
  ...ownWrites(table, application, FREE),
  ...application.keys.flatMap((key) => putKey(table, application, key)),
];

/** The condition that the application still has the version that was read. */
const unchanged = ({ version }: Application) => ({
  ConditionExpression: 'version = :version',
  ExpressionAttributeValues: { ':version': version },
});

/** The check that another application still has the version that was read. */
const stillThere = (table: string, beside: Application | undefined): TransactWriteItem[] =>
  beside === undefined
    ? []
    : [
        {
          ConditionCheck: {
            TableName: table,
            Key: applicationKey(beside.tenantId, beside.id),
            ...unchanged(beside),
          },
        },
      ];

async function forgetRetiredKeys(table: Table, tenantId: string, count: number): Promise<number> {
  const listing = { tenantId, prefix: RETIRED_PREFIX, after: undefined, pageSize: count };
  for await (const items of tenantItems(table, listing)) {
    const retired = items.map(readRetiredKey);
    for (const { keyId, keyHash } of retired) {
      const keys = [...ALL_COPIES.map((copy) => credentialKey(keyHash, copy)), retiredKey(tenantId, keyId)];
      await transact(
        table,
        keys.map((key) => remove(table.name, key)),
      );
    }
    if (retired.length > 0) return retired.length;
  }
  return 0;
}

/**
 * Applications in the Access table. Each has one item by id, copies of its grants by id, and copies
 * of each of its keys by the hash of the key. Authentication reads only copies.
 */
export function createApplicationStore(table: Table): ApplicationStore {
  const { name, platform } = table;

  async function find(tenantId: string, id: string): Promise<Application | undefined> {
    const item = await getItem(table, applicationKey(tenantId, id));
    return item === undefined ? undefined : readApplicationItem(item);
  }

  return {
    ...createExternalIds(table, 'application'),

    create: async (application) =>
      transact(table, [
        ...applicationWrites(name, application),
        ...(await externalIdWrites(table, 'application', { next: application }, ttlOf(application))),
      ]),

    async find(tenantId, id) {
      return isUuid(id) ? find(tenantId, id) : undefined;
    },

    async findMany(tenantId, ids) {
      const keys = [...new Set(ids)].filter(isUuid).map((id) => applicationKey(tenantId, id));
      return (await batchGet(table, keys)).map(readApplicationItem);
    },

    async *list(tenantId, after) {
      const listing = {
        tenantId,
        prefix: APPLICATION_PREFIX,
        after: after === undefined ? undefined : applicationKey(tenantId, after),
        pageSize: PAGE,
      };
      for await (const items of tenantItems(table, listing)) yield items.map(readApplicationItem);
    },

    update: async (previous, next, beside) =>
      transact(table, [
        ...stillThere(name, beside),
        ...ownWrites(name, next, unchanged(previous)),
        ...keyWrites(name, previous, next, platform.clock()),
        ...(await externalIdWrites(table, 'application', { previous, next }, ttlOf(next))),
      ]),

    delete: async (application, beside) =>
      transact(table, [
        ...stillThere(name, beside),
        remove(name, applicationKey(application.tenantId, application.id), unchanged(application)),
        ...ALL_COPIES.map((copy) => remove(name, grantsKey(application.tenantId, application.id, copy))),
        ...application.keys.flatMap((key) => retireKey(name, application, key, platform.clock())),
        ...(await externalIdWrites(table, 'application', { previous: application })),
      ]),

    async lastUses({ keys }) {
      const items = await batchGet(
        table,
        keys.map(({ hash }) => credentialKey(hash, FIRST_COPY)),
      );
      return new Map(
        items
          .map(readCredentialItem)
          .flatMap(({ keyId, lastUsedOn = NEVER }) => (lastUsedOn === NEVER ? [] : [[keyId, lastUsedOn]])),
      );
    },

    forgetRetiredKeys: (tenantId, count) => forgetRetiredKeys(table, tenantId, count),
  };
}
