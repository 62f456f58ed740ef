import * as z from 'zod/mini';
import { RETIRED_MS } from '../../core/access/credential-store.ts';
import type { ApplicationKey } from '../../core/applications/application-key.ts';
import type { ProxyStore } from '../../core/stored-proxies/proxy-store.ts';
import {
  hasDeleted,
  STORED_PROXY_LIMITS,
  type ListedProxy,
  type StoredProxy,
  type StoredVersion,
} from '../../core/stored-proxies/stored-proxy.ts';
import { sameJson } from '../../core/shared/same-json.ts';
import { defined } from '../../core/shared/defined.ts';
import { isUuid } from '../../core/shared/is-uuid.ts';
import { keyItem } from './application-item.ts';
import { batchGet, getItem } from './batch-get.ts';
import { createExternalIds, externalIdWrites, takenBy } from './external-ids.ts';
import { labelsInItem, storedLabels } from './stored-labels.ts';
import {
  credentialKey,
  FIRST_COPY,
  LISTED_PROXY_PREFIX,
  listedProxyKey,
  proxyCountKey,
  PROXY_PREFIX,
  proxyKey,
  proxyVersionKey,
  proxyVersionPrefix,
  retiredProxyKey,
  retiredProxyPrefix,
  type ItemKey,
} from './keys.ts';
import { binary, type Item, type Table, type TransactWriteItem } from './table-client.ts';
import { createCounted, deleteCounted } from './tenant-count.ts';
import { tenantItems } from './tenant-items.ts';
import { timeToLive } from './token-item.ts';
import { transact } from './transact.ts';

/** The codes that a proxy runs. */
const pins = z.lazy(() => z.array(z.object({ reactorId: z.string(), codeHash: z.string() })));

const proxyItem = z.lazy(() =>
  z.object({
    id: z.string(),
    tenantId: z.string(),
    definitionVersion: z.number(),
    encryptedDefinition: binary,
    pins: z.exactOptional(pins),
    retainedVersions: z.exactOptional(z.array(z.number())),
    encryptedName: binary,
    configurationNames: z.array(z.string()),
    encryptedConfiguration: binary,
    configurationLabels: z.exactOptional(storedLabels()),
    externalId: z.exactOptional(z.string()),
    secretAuthor: z.string(),
    encryptedRetired: z.exactOptional(binary),
    keys: z.array(keyItem()),
    createdBy: z.string(),
    createdAt: z.number(),
    modifiedBy: z.exactOptional(z.string()),
    modifiedAt: z.exactOptional(z.number()),
    revision: z._default(z.number(), 1),
    version: z.number(),
  }),
);

const versionItem = z.lazy(() =>
  z.object({
    version: z.number(),
    encryptedDefinition: binary,
    createdBy: z.string(),
    createdAt: z.number(),
  }),
);

const useItem = z.lazy(() => z.object({ keyId: z.string(), lastUsedOn: z.string() }));

const listedItem = z.lazy(() =>
  z.object({
    id: z.string(),
    tenantId: z.string(),
    encryptedName: binary,
    pins: z.exactOptional(pins),
    bytes: z.number(),
  }),
);

/** The tombstone of a key, in the place of the item with its last use. */
const tombstone = z.lazy(() =>
  z.object({
    isRetired: z.literal(true),
    tenantId: z.string(),
    proxyId: z.string(),
    keyId: z.string(),
    ttl: z.number(),
  }),
);

/** The record by which a proxy counts its tombstones. */
const retiredItem = z.lazy(() => z.object({ ttl: z.number() }));

const read = (item: Item): StoredProxy => proxyItem.parse(item);

const PAGE = 100;
/** The day of the last use of a key that was not used yet. It sorts before all days. */
const NEVER = '';

/** A list reads only these members of a proxy. */
const listedOf = ({
  id,
  tenantId,
  encryptedName,
  encryptedDefinition,
  pins: pinned,
  configurationNames,
  configurationLabels,
}: StoredProxy): ListedProxy => {
  const beside = JSON.stringify([configurationNames, configurationLabels]);
  const bytes = encryptedDefinition.length + Buffer.byteLength(beside);
  return defined({ id, tenantId, encryptedName, pins: pinned, bytes });
};

const FREE = { ConditionExpression: 'attribute_not_exists(pk)' };

/** The single writes that change proxies, their versions and the items of their keys. */
function createWrites(name: string) {
  const put = (item: Item, condition: object = {}): TransactWriteItem => ({
    Put: { TableName: name, Item: item, ...condition },
  });
  const remove = (key: ItemKey, condition: object = {}): TransactWriteItem => ({
    Delete: { TableName: name, Key: { ...key }, ...condition },
  });
  const useKey = ({ hash }: Pick<ApplicationKey, 'hash'>) => credentialKey(hash, FIRST_COPY);
  return {
    put: (proxy: StoredProxy, condition: object) =>
      put({ ...proxyKey(proxy.tenantId, proxy.id), ...proxy, ...labelsInItem(proxy) }, condition),
    remove: (proxy: StoredProxy) => remove(proxyKey(proxy.tenantId, proxy.id), unchanged(proxy)),
    putListed: (proxy: StoredProxy) =>
      put({ ...listedProxyKey(proxy.tenantId, proxy.id), ...listedOf(proxy) }),
    removeListed: ({ tenantId, id }: StoredProxy) => remove(listedProxyKey(tenantId, id)),
    putVersion: ({ tenantId, id }: StoredProxy, version: StoredVersion) =>
      put({ ...proxyVersionKey(tenantId, id, version.version), ...version }),
    removeVersion: ({ tenantId, id }: StoredProxy, version: number) =>
      remove(proxyVersionKey(tenantId, id, version)),
    putUse: ({ tenantId, id: proxyId }: StoredProxy, key: ApplicationKey) =>
      put({ ...useKey(key), tenantId, proxyId, keyId: key.id, lastUsedOn: NEVER }),
    /** Puts a tombstone in the place of the last use of a key, and a record that counts it. */
    retire({ tenantId, id: proxyId }: StoredProxy, key: ApplicationKey, now: number) {
      const ttl = timeToLive(now + RETIRED_MS);
      const { id: keyId, hash: keyHash } = key;
      return [
        put({ ...useKey(key), tenantId, proxyId, keyId, isRetired: true, ttl }),
        put({ ...retiredProxyKey(tenantId, proxyId, keyId), proxyId, keyHash, ttl }),
      ];
    },
  };
}

/** The condition that a proxy is still as it was read. */
const unchanged = ({ version }: StoredProxy) => ({
  ConditionExpression: 'version = :version',
  ExpressionAttributeValues: { ':version': version },
});

async function versionsOf(
  table: Table,
  { tenantId, id }: Pick<StoredProxy, 'tenantId' | 'id'>,
): Promise<readonly StoredVersion[]> {
  const pageSize = STORED_PROXY_LIMITS.versions + STORED_PROXY_LIMITS.retainedVersions;
  const listing = { tenantId, prefix: proxyVersionPrefix(id), after: undefined, pageSize };
  const found: StoredVersion[] = [];
  for await (const items of tenantItems(table, listing)) {
    found.push(...items.map((item) => versionItem.parse(item)));
    if (found.length >= pageSize) break;
  }
  return found.slice(0, pageSize);
}

/** The versions that a change deletes: one leaves the last ones, others are no longer retained. */
function deletedBy(previous: StoredProxy, next: StoredProxy): readonly number[] {
  const oldest = Math.max(1, previous.definitionVersion - STORED_PROXY_LIMITS.versions + 1);
  const candidates = new Set([oldest, ...(previous.retainedVersions ?? [])]);
  return [...candidates].filter((version) => hasDeleted(next, version));
}

/** A tenant has so many proxies as it has list items. */
const counted = (table: Table, tenantId: string) => ({
  table,
  tenantId,
  key: proxyCountKey(tenantId),
  prefix: LISTED_PROXY_PREFIX,
});

/** Reads the proxies of a tenant for lists, and whole ones by their ids. */
export const createProxyReads = (table: Table): Pick<ProxyStore, 'listed' | 'findListed' | 'findMany'> => ({
  async *listed(tenantId, after) {
    const listing = {
      tenantId,
      prefix: LISTED_PROXY_PREFIX,
      after: after === undefined ? undefined : listedProxyKey(tenantId, after),
      pageSize: STORED_PROXY_LIMITS.proxies,
    };
    for await (const items of tenantItems(table, listing)) yield items.map((item) => listedItem.parse(item));
  },

  async findListed(tenantId, ids) {
    const keys = [...new Set(ids)].filter(isUuid).map((id) => listedProxyKey(tenantId, id));
    return (await batchGet(table, keys)).map((item) => listedItem.parse(item));
  },

  async findMany(tenantId, ids) {
    const keys = [...new Set(ids)].filter(isUuid).map((id) => proxyKey(tenantId, id));
    return (await batchGet(table, keys)).map(read);
  },
});

/** Reads the keys of proxies, beside the proxies themselves. */
function keyReads(table: Table): Pick<ProxyStore, 'retiredKey' | 'countRetiredKeys' | 'lastUses'> {
  // DynamoDB deletes an item up to some days after its end.
  const isForgotten = ({ ttl }: { readonly ttl: number }) => ttl * 1_000 <= table.platform.clock();
  return {
    async retiredKey(hash) {
      const item = await getItem(table, credentialKey(hash, FIRST_COPY));
      const found = tombstone.safeParse(item);
      if (!found.success || isForgotten(found.data)) return undefined;
      const { tenantId, proxyId, keyId } = found.data;
      return { tenantId, proxyId, keyId };
    },

    async countRetiredKeys({ tenantId, id }) {
      const listing = { tenantId, prefix: retiredProxyPrefix(id), after: undefined, pageSize: PAGE };
      let count = 0;
      for await (const items of tenantItems(table, listing))
        count += items.filter((item) => !isForgotten(retiredItem.parse(item))).length;
      return count;
    },

    async lastUses({ keys }) {
      const items = await batchGet(
        table,
        keys.map(({ hash }) => credentialKey(hash, FIRST_COPY)),
      );
      const uses = items.flatMap((item) => useItem.safeParse(item).data ?? []);
      return new Map(
        uses.flatMap(({ keyId, lastUsedOn }) => (lastUsedOn === NEVER ? [] : [[keyId, lastUsedOn]])),
      );
    },
  };
}

/**
 * Stored proxies in the Access table: each is one item, by which its keys are checked. Beside it
 * are a small one for lists, its last versions, and one item for each key with the day of its last
 * use, in the place and form of an application's key (`key-uses.ts`). A deleted key leaves its
 * tombstone in that place.
 */
export function createProxyStore(table: Table): ProxyStore {
  const writes = createWrites(table.name);
  const { clock } = table.platform;

  return {
    async create(proxy, first) {
      const { tenantId, id } = proxy;
      const made = await createCounted(
        counted(table, tenantId),
        STORED_PROXY_LIMITS.proxies,
        [
          writes.put(proxy, FREE),
          writes.putListed(proxy),
          writes.putVersion(proxy, first),
          ...proxy.keys.map((key) => writes.putUse(proxy, key)),
          ...(await externalIdWrites(table, 'proxy', { next: proxy })),
        ],
        async () => (await getItem(table, proxyKey(tenantId, id))) ?? takenBy(table, 'proxy', proxy),
      );
      return made === 'created';
    },

    async find(tenantId, id) {
      if (!isUuid(id)) return undefined;
      const item = await getItem(table, proxyKey(tenantId, id));
      return item && read(item);
    },

    async *list(tenantId, after) {
      const listing = {
        tenantId,
        prefix: PROXY_PREFIX,
        after: after === undefined ? undefined : proxyKey(tenantId, after),
        pageSize: PAGE,
      };
      for await (const items of tenantItems(table, listing)) yield items.map(read);
    },

    async update(previous, next, versions) {
      const [before, after] = [previous, next].map(({ keys }) => new Set(keys.map(({ id }) => id)));
      return transact(table, [
        writes.put(next, unchanged(previous)),
        ...(sameJson(listedOf(previous), listedOf(next)) ? [] : [writes.putListed(next)]),
        ...versions.map((version) => writes.putVersion(next, version)),
        ...deletedBy(previous, next).map((version) => writes.removeVersion(next, version)),
        ...next.keys.filter(({ id }) => before?.has(id) !== true).map((key) => writes.putUse(next, key)),
        ...previous.keys
          .filter(({ id }) => after?.has(id) !== true)
          .flatMap((key) => writes.retire(next, key, clock())),
        ...(await externalIdWrites(table, 'proxy', { previous, next })),
      ]);
    },

    async delete(proxy) {
      const versions = await versionsOf(table, proxy);
      return deleteCounted(counted(table, proxy.tenantId), [
        writes.remove(proxy),
        writes.removeListed(proxy),
        ...versions.map(({ version }) => writes.removeVersion(proxy, version)),
        ...proxy.keys.flatMap((key) => writes.retire(proxy, key, clock())),
        ...(await externalIdWrites(table, 'proxy', { previous: proxy })),
      ]);
    },

    ...createExternalIds(table, 'proxy'),
    versions: (proxy) => versionsOf(table, proxy),
    ...createProxyReads(table),
    ...keyReads(table),
  };
}
