import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { IMAGES, type Image } from '../../core/reactors/layer.ts';
import { STAY_REASONS } from '../../core/reactors/reactor.ts';
import type { PlacedReactor, ReactorIndex } from '../../core/republish/roll.ts';
import {
  imagePartition,
  INDEXES,
  layersAfter,
  otherLayers,
  parseReactorKey,
  type PlaceRange,
} from './keys.ts';
import { send, type Item, type Table } from './table-client.ts';

const PAGE = 500;

const entry = z.lazy(() =>
  z.object({
    pk: z.string(),
    sk: z.string(),
    groupSk: z.string(),
    layer: z.object({ image: z.enum(IMAGES), generation: z.number(), hash: z.string() }),
    layerSince: z.number(),
    stayed: z.exactOptional(z.object({ roll: z.string(), reason: z.enum(STAY_REASONS) })),
  }),
);

function placedIn(item: Item): PlacedReactor {
  const { pk, sk, groupSk: place, ...reactor } = entry.parse(item);
  const found = parseReactorKey({ pk, sk });
  if (found === undefined) throw new Error('reactor index: an entry of another item');
  return { ...reactor, ...found, place };
}

function inputOf({ name }: Table, image: Image, [first, last]: PlaceRange) {
  return {
    TableName: name,
    IndexName: INDEXES.group,
    KeyConditionExpression: 'groupPk = :partition AND groupSk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':partition': imagePartition(image), ':first': first, ':last': last },
  };
}

async function* rowsIn(
  table: Table,
  image: Image,
  ranges: readonly PlaceRange[],
): AsyncGenerator<readonly PlacedReactor[]> {
  const { client, platform } = table;
  for (const range of ranges) {
    let start: Item | undefined;
    do {
      const command: QueryCommand = new QueryCommand({
        ...inputOf(table, image, range),
        Limit: PAGE,
        ...(start !== undefined && { ExclusiveStartKey: start }),
      });
      const page = await send(platform, () => client.send(command));
      start = page.LastEvaluatedKey;
      yield (page.Items ?? []).map(placedIn);
    } while (start !== undefined);
  }
}

async function countIn(table: Table, image: Image, range: PlaceRange): Promise<number> {
  const { client, platform } = table;
  let count = 0;
  let start: Item | undefined;
  do {
    const command: QueryCommand = new QueryCommand({
      ...inputOf(table, image, range),
      Select: 'COUNT',
      ...(start !== undefined && { ExclusiveStartKey: start }),
    });
    const page = await send(platform, () => client.send(command));
    start = page.LastEvaluatedKey;
    count += page.Count ?? 0;
  } while (start !== undefined);
  return count;
}

/** Finds reactors in the index of groups of the Reactors table. */
export function createReactorIndex(table: Table): ReactorIndex {
  return {
    withOther: ({ image, hash }, after) => rowsIn(table, image, otherLayers(hash, after)),
    all: (image, after) => rowsIn(table, image, [layersAfter(after)]),
    async countOther({ image, hash }) {
      const counts = await Promise.all(otherLayers(hash).map((range) => countIn(table, image, range)));
      return counts.reduce((total, count) => total + count, 0);
    },
  };
}
