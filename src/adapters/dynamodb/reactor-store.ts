import * as z from 'zod/mini';
import { IMAGES } from '../../core/reactors/layer.ts';
import { STAY_REASONS, type Dependencies, type StoredReactor } from '../../core/reactors/reactor.ts';
import type { PackagesReplacement, ReactorStore } from '../../core/reactors/reactor-store.ts';
import { dueOf } from '../../core/reactors/repair-reactor.ts';
import type { Named } from '../../core/shared/external-id.ts';
import { isUuid } from '../../core/shared/is-uuid.ts';
import { unavailable } from '../aws/dependency-error.ts';
import { batchGet, getItem } from './batch-get.ts';
import { createExternalIds, externalIdWrites, takenBy } from './external-ids.ts';
import { labelsInItem, storedLabels } from './stored-labels.ts';
import { imagePartition, layerSort, REACTOR_PREFIX, reactorCountKey, reactorKey } from './keys.ts';
import { noteCall, waitingSince } from './call-notes.ts';
import { conditionalPut } from './conditional-write.ts';
import { binary, type Item, type Table } from './table-client.ts';
import { createReactorPackages, packageReplacement, packageWrites } from './reactor-packages.ts';
import { createCounted, deleteCounted } from './tenant-count.ts';
import { tenantItems } from './tenant-items.ts';
import { dueAt } from './token-item.ts';
import { transact } from './transact.ts';

const reactorItem = z.lazy(() =>
  z.object({
    id: z.string(),
    tenantId: z.string(),
    name: z.string(),
    applicationId: z.exactOptional(z.string()),
    createdBy: z.string(),
    createdAt: z.number(),
    modifiedBy: z.exactOptional(z.string()),
    modifiedAt: z.exactOptional(z.number()),
    // Items of earlier releases have none.
    image: z._default(z.enum(IMAGES), 'node16'),
    codeHash: z.string(),
    packages: z.exactOptional(
      z.object({
        digest: z.string(),
        image: z.enum(IMAGES),
        dependencies: z.pipe(
          z.custom<readonly (readonly [string, string])[]>(Array.isArray),
          z.transform((pairs): Dependencies => Object.fromEntries(pairs)),
        ),
        id: z.string(),
        bytes: z.number(),
      }),
    ),
    warmConcurrency: z.exactOptional(z.number()),
    encryptedCode: binary,
    encryptedConfiguration: binary,
    configurationLabels: z.exactOptional(storedLabels()),
    externalId: z.exactOptional(z.string()),
    revision: z._default(z.number(), 1),
    state: z.enum(['creating', 'ready', 'deleting']),
    functionVersion: z.exactOptional(z.string()),
    layer: z.exactOptional(z.object({ image: z.enum(IMAGES), generation: z.number(), hash: z.string() })),
    layerSince: z.exactOptional(z.number()),
    stayed: z.exactOptional(z.object({ roll: z.string(), reason: z.enum(STAY_REASONS) })),
    operation: z.exactOptional(
      z.object({ id: z.string(), until: z.number(), by: z.exactOptional(z.literal('roll')) }),
    ),
    tidyAt: z.exactOptional(z.number()),
    calledOn: z.exactOptional(z.string()),
    heat: z.exactOptional(z.object({ state: z.enum(['waiting', 'hot']), since: z.number() })),
    version: z.number(),
  }),
);

/** A reactor that waits for running instances is in the queue while nothing else of it is due. */
function dueEntryOf(reactor: StoredReactor): Item {
  const due = dueOf(reactor);
  const { heat, warmConcurrency } = reactor;
  return due === undefined && heat?.state === 'waiting'
    ? waitingSince(heat.since, warmConcurrency)
    : dueAt(reactor.id, due);
}

/** Names of packages are no names of attributes: the client cannot write a `constructor`. */
const packagesIn = ({ packages }: StoredReactor): Item =>
  packages === undefined
    ? {}
    : { packages: { ...packages, dependencies: Object.entries(packages.dependencies) } };

function itemOf(reactor: StoredReactor): Item {
  return {
    ...reactorKey(reactor.tenantId, reactor.id),
    ...reactor,
    ...packagesIn(reactor),
    ...labelsInItem(reactor),
    ...dueEntryOf(reactor),
    // Reactors are found by the layer that their function has.
    ...(reactor.layer !== undefined && {
      groupPk: imagePartition(reactor.layer.image),
      groupSk: layerSort(reactor.layer.hash, reactor.id),
    }),
  };
}

/** Parses the item of a reactor. Throws if it is another kind of item. */
export const readReactorItem = (item: Item): StoredReactor => reactorItem.parse(item);

/** Whether the stored item is the one to write, including its operation. */
function isSame(reactor: StoredReactor): (found: StoredReactor) => boolean {
  return ({ version, operation, modifiedAt, state, encryptedConfiguration }) =>
    version === reactor.version &&
    operation?.id === reactor.operation?.id &&
    modifiedAt === reactor.modifiedAt &&
    state === reactor.state &&
    // Each encryption has a new salt, so two writers never have the same.
    encryptedConfiguration.equals(reactor.encryptedConfiguration);
}

const PAGE = 100;

/** How often a deletion is tried beside other writers of the number of reactors. */
const ATTEMPTS = 12;
const PAUSE_MS = 100;

const counted = (table: Table, tenantId: string) => ({
  table,
  tenantId,
  key: reactorCountKey(tenantId),
  prefix: REACTOR_PREFIX,
});

async function remove(table: Table, reactor: StoredReactor): Promise<boolean> {
  const { tenantId, id, version, packages } = reactor;
  const withPackages =
    packages === undefined ? [] : packageReplacement(table, reactor, { before: packages, now: undefined });
  const deletion = {
    TableName: table.name,
    Key: reactorKey(tenantId, id),
    ConditionExpression: '#version = :version',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':version': version },
  };
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const named = await externalIdWrites(table, 'reactor', { previous: reactor });
    const writes = [{ Delete: deletion }, ...withPackages, ...named];
    if (await deleteCounted(counted(table, tenantId), writes)) return true;
    const item = await getItem(table, reactorKey(tenantId, id));
    // It may be gone already, as an earlier attempt may have lost its response.
    if (item === undefined) return true;
    if (readReactorItem(item).version !== version) return false;
    await table.platform.pause(table.platform.random.fraction() * PAUSE_MS);
  }
  throw unavailable(new Error('delete reactor: the number of reactors changes all the time'));
}

async function update(
  table: Table,
  next: StoredReactor,
  packages: PackagesReplacement | undefined,
  previous: Named,
): Promise<boolean> {
  const named = await externalIdWrites(table, 'reactor', { previous, next });
  const condition = {
    expression: '#version = :before',
    names: { '#version': 'version' },
    values: { ':before': next.version - 1 },
  };
  if (packages === undefined && named.length === 0) {
    const own = { read: readReactorItem, isSame: isSame(next) };
    return (await conditionalPut(table, itemOf(next), condition, own)) === 'written';
  }
  const put = {
    TableName: table.name,
    Item: itemOf(next),
    ConditionExpression: condition.expression,
    ExpressionAttributeNames: condition.names,
    ExpressionAttributeValues: condition.values,
  };
  const beside = packages === undefined ? [] : packageReplacement(table, next, packages);
  return transact(table, [{ Put: put }, ...beside, ...named]);
}

/** Reactors are in the Reactors table, and each is one item, with its packages beside it. */
export function createReactorStore(table: Table): ReactorStore {
  const { name } = table;

  return {
    ...createReactorPackages(table),
    ...createExternalIds(table, 'reactor'),

    async create(reactor, most, packages) {
      const { tenantId, id } = reactor;
      const put = {
        TableName: name,
        Item: itemOf(reactor),
        ConditionExpression: 'attribute_not_exists(pk)',
      };
      const beside = packages === undefined ? [] : packageWrites(table, reactor, packages);
      const named = await externalIdWrites(table, 'reactor', { next: reactor });
      const writes = [{ Put: put }, ...beside, ...named];
      const made = await createCounted(
        counted(table, tenantId),
        most,
        writes,
        async () => (await getItem(table, reactorKey(tenantId, id))) ?? takenBy(table, 'reactor', reactor),
      );
      if (typeof made !== 'object') return made;
      return 'state' in made.found ? readReactorItem(made.found) : 'taken';
    },

    async find(tenantId, id) {
      if (!isUuid(id)) return undefined;
      const item = await getItem(table, reactorKey(tenantId, id));
      return item === undefined ? undefined : readReactorItem(item);
    },

    async findMany(tenantId, ids) {
      const keys = [...new Set(ids)].filter(isUuid).map((id) => reactorKey(tenantId, id));
      return (await batchGet(table, keys)).map(readReactorItem);
    },

    async *list(tenantId, after) {
      const listing = {
        tenantId,
        prefix: REACTOR_PREFIX,
        after: after === undefined ? undefined : reactorKey(tenantId, after),
        pageSize: PAGE,
      };
      for await (const items of tenantItems(table, listing)) yield items.map(readReactorItem);
    },

    update: (next, packages, previous = next) => update(table, next, packages, previous),
    noteCall: (reactor, day) => noteCall(table, reactor, day),
    delete: (reactor) => remove(table, reactor),
  };
}
