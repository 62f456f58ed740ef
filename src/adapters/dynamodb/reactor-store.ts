import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { IMAGES } from '../../core/reactors/layer.ts';
import { STAY_REASONS, type StoredReactor } from '../../core/reactors/reactor.ts';
import type { ReactorStore } from '../../core/reactors/reactor-store.ts';
import { dueOf } from '../../core/reactors/repair-reactor.ts';
import { isUuid } from '../../core/shared/is-uuid.ts';
import { batchGet, getItem } from './batch-get.ts';
import { COLD_PARTITION, imagePartition, layerSort, REACTOR_PREFIX, reactorKey } from './keys.ts';
import { conditionalPut, conditionalWrite } from './conditional-write.ts';
import { binary, type Item, type Table } from './table-client.ts';
import { tenantItems } from './tenant-items.ts';
import { dueAt } from './token-item.ts';

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
    codeHash: z.string(),
    encryptedCode: binary,
    encryptedConfiguration: binary,
    state: z.enum(['creating', 'ready', 'deleting']),
    functionVersion: z.exactOptional(z.string()),
    layer: z.exactOptional(z.object({ image: z.enum(IMAGES), generation: z.number(), hash: z.string() })),
    layerSince: z.exactOptional(z.number()),
    stayed: z.exactOptional(z.object({ roll: z.string(), reason: z.enum(STAY_REASONS) })),
    operation: z.exactOptional(
      z.object({ id: z.string(), until: z.number(), by: z.exactOptional(z.literal('roll')) }),
    ),
    tidyAt: z.exactOptional(z.number()),
    heatAt: z.exactOptional(z.number()),
    version: z.number(),
  }),
);

function itemOf(reactor: StoredReactor): Item {
  return {
    ...reactorKey(reactor.tenantId, reactor.id),
    ...reactor,
    ...dueAt(reactor.id, dueOf(reactor)),
    // Reactors are found by the layer that their function has.
    ...(reactor.layer !== undefined && {
      groupPk: imagePartition(reactor.layer.image),
      groupSk: layerSort(reactor.layer.hash, reactor.id),
    }),
    // A cold reactor is in a separate partition, in which cold ones can be counted.
    ...(reactor.heatAt !== undefined && { duePk: COLD_PARTITION }),
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

/** Reactors are in the Reactors table, and each is one item. */
export function createReactorStore(table: Table): ReactorStore {
  const { name } = table;

  return {
    async create(reactor) {
      const free = { expression: 'attribute_not_exists(pk)' };
      const written = await conditionalPut(table, itemOf(reactor), free, {
        read: readReactorItem,
        isSame: isSame(reactor),
      });
      if (written === 'written') return 'created';
      if (written.found === undefined) throw new Error('reactor store: the reactor in the way has no item');
      return written.found;
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

    async update(next) {
      const condition = {
        expression: '#version = :before',
        names: { '#version': 'version' },
        values: { ':before': next.version - 1 },
      };
      return (
        (await conditionalPut(table, itemOf(next), condition, {
          read: readReactorItem,
          isSame: isSame(next),
        })) === 'written'
      );
    },

    async delete(reactor) {
      const command = new DeleteCommand({
        TableName: name,
        Key: reactorKey(reactor.tenantId, reactor.id),
        // The item may be gone already, as an earlier attempt may have lost its response.
        ConditionExpression: 'attribute_not_exists(pk) OR #version = :version',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':version': reactor.version },
      });
      return (await conditionalWrite(table, command)) === 'written';
    },
  };
}
