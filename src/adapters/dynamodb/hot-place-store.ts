import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { HotPlaceStore, WaitingReactor, WaitingReactors } from '../../core/reactors/hot-places.ts';
import { getItem } from './batch-get.ts';
import { warmConcurrencyIn } from './call-notes.ts';
import { conditionalPut, replaces } from './conditional-write.ts';
import { HOT_PLACES_KEY, INDEXES, parseReactorKey, WAITING_PARTITION } from './keys.ts';
import { send, type Item, type Table } from './table-client.ts';

const placesItem = z.lazy(() =>
  z.object({
    hotInstances: z.number(),
    hotConcurrency: z.number(),
    places: z.array(
      z.object({
        tenantId: z.string(),
        id: z.string(),
        instances: z.number(),
        since: z.number(),
        isGranted: z.boolean(),
      }),
    ),
    decidedAt: z.number(),
    refusal: z.exactOptional(z.object({ until: z.number(), pauseMs: z.number() })),
    version: z.number(),
  }),
);

/** The Reactors table has one item with all places, so that no count of them can be wrong. */
export const createHotPlaceStore = (table: Table): HotPlaceStore => ({
  async find() {
    const item = await getItem(table, HOT_PLACES_KEY);
    return item && placesItem.parse(item);
  },

  async write(next) {
    const outcome = await conditionalPut(table, { ...HOT_PLACES_KEY, ...next }, replaces(next.version), {
      read: (item) => placesItem.parse(item),
      // Another run may have written the same version, so this one does not go on.
      isSame: () => false,
    });
    return outcome === 'written';
  },
});

const PAGE = 500;

const entry = z.lazy(() => z.object({ pk: z.string(), sk: z.string(), dueSk: z.string() }));

function waitingIn(item: Item): readonly WaitingReactor[] {
  const { dueSk, ...key } = entry.parse(item);
  const reactor = parseReactorKey(key);
  const warmConcurrency = warmConcurrencyIn(dueSk);
  return reactor === undefined
    ? []
    : [{ ...reactor, ...(warmConcurrency !== undefined && { warmConcurrency }) }];
}

/** Finds reactors in the part of the due index that contains those without running instances. */
export function createWaitingReactors({ client, platform, name }: Table): WaitingReactors {
  const input = {
    TableName: name,
    IndexName: INDEXES.due,
    KeyConditionExpression: 'duePk = :partition',
    ExpressionAttributeValues: { ':partition': WAITING_PARTITION },
  };

  return {
    async *list() {
      let start: Item | undefined;
      do {
        const command: QueryCommand = new QueryCommand({
          ...input,
          Limit: PAGE,
          ...(start !== undefined && { ExclusiveStartKey: start }),
        });
        const page = await send(platform, () => client.send(command));
        start = page.LastEvaluatedKey;
        yield (page.Items ?? []).flatMap(waitingIn);
      } while (start !== undefined);
    },

    async count(most) {
      const command = new QueryCommand({ ...input, Limit: most, Select: 'COUNT' });
      return (await send(platform, () => client.send(command))).Count ?? 0;
    },
  };
}
