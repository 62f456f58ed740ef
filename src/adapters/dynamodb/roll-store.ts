import { PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { IMAGES } from '../../core/reactors/layer.ts';
import type { NotedLayerStore } from '../../core/republish/note-layer.ts';
import type { RollStore } from '../../core/republish/roll.ts';
import { getItem } from './batch-get.ts';
import { conditionalPut, replaces } from './conditional-write.ts';
import { presentLayerKey, rollKey } from './keys.ts';
import { send, type Table } from './table-client.ts';

const layer = { image: z.enum(IMAGES), generation: z.number(), hash: z.string() };

const rollItem = z.lazy(() =>
  z.object({
    id: z.string(),
    target: z.object({ ...layer, arn: z.string() }),
    isNamed: z.boolean(),
    tenantId: z.exactOptional(z.string()),
    startedAt: z.number(),
    state: z.enum(['running', 'ended', 'stopped']),
    stoppedBy: z.exactOptional(z.enum(['own_function', 'failures', 'deployment'])),
    isProven: z.boolean(),
    total: z.number(),
    moved: z.number(),
    stayed: z.number(),
    failedTenants: z.array(z.string()),
    pass: z.number(),
    again: z.number(),
    passFrom: z.exactOptional(z.number()),
    after: z.string(),
    runner: z.exactOptional(z.object({ id: z.string(), until: z.number() })),
    version: z.number(),
  }),
);

/** Rolls are in the Reactors table, one for each image. */
export function createRollStore(table: Table): RollStore {
  return {
    async find(image) {
      const item = await getItem(table, rollKey(image));
      return item && rollItem.parse(item);
    },

    async write(roll) {
      const item = { ...rollKey(roll.target.image), ...roll };
      const outcome = await conditionalPut(table, item, replaces(roll.version), {
        read: (item) => rollItem.parse(item),
        // A worker claims each version once, and the counts of a version belong to its worker.
        isSame: ({ id, version, runner, after }) =>
          id === roll.id &&
          version === roll.version &&
          runner?.id === roll.runner?.id &&
          after === roll.after,
      });
      return outcome === 'written';
    },
  };
}

const presentItem = z.lazy(() => z.object({ image: z.enum(IMAGES), hash: z.string(), since: z.number() }));

/** The Reactors table has the layer of the newest deployment, for each image. */
export function createNotedLayers(table: Table): NotedLayerStore {
  const { client, platform, name } = table;
  return {
    async find(image) {
      const item = await getItem(table, presentLayerKey(image));
      return item && presentItem.parse(item);
    },

    async write(noted) {
      const command = new PutCommand({
        TableName: name,
        Item: { ...presentLayerKey(noted.image), ...noted },
      });
      await send(platform, () => client.send(command));
    },
  };
}
