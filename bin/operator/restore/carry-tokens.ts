import { paginateQuery, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { z } from 'zod';
import {
  LOCK,
  lockKey,
  matchHashIn,
  parseTokenPartition,
  termKey,
  type ItemKey,
} from '../../../src/adapters/dynamodb/keys.ts';
import { concurrently } from './concurrently.ts';
import type { RestoreDeps } from './restore-deps.ts';
import { readAll, writeAll, WRITERS, type RawItem } from './scan.ts';

const text = z.object({ S: z.string() });

/** The attributes of a token that name its other items. */
const referring = z.object({
  sk: z.object({ S: z.literal('token') }),
  position: text,
  matchSk: text,
  terms: z.object({ L: z.array(text) }),
});

const keyText = ({ pk, sk }: RawItem) => `${pk?.S ?? ''}\n${sk?.S ?? ''}`;

async function partitionItems(deps: RestoreDeps, table: string, pk: string): Promise<readonly RawItem[]> {
  const query = {
    TableName: table,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: pk } },
    ConsistentRead: true,
  };
  const items: RawItem[] = [];
  for await (const page of paginateQuery({ client: deps.dynamodb }, query)) items.push(...(page.Items ?? []));
  return items;
}

/** The keys of the entries and of the lock that a version of a token may have. */
function relatedKeys(tenantId: string, items: readonly RawItem[]): readonly ItemKey[] {
  return items.flatMap((item) => {
    const { data } = referring.safeParse(item);
    if (data === undefined) return [];
    return [
      lockKey(tenantId, matchHashIn(data.matchSk.S)),
      ...data.terms.L.map(({ S }) => termKey(tenantId, S, data.position.S)),
    ];
  });
}

/** A lock leads to a token by its id; an entry belongs to the token that has its position. */
const belongs = (item: RawItem, id: string) => item['sk']?.S !== LOCK || item['tokenId']?.S === id;

/** Returns the writes that give a copy the current items of a token, and remove its other items. */
async function carried(deps: RestoreDeps, table: string, copy: string, pk: string): Promise<WriteRequest[]> {
  const { tenantId, id } = parseTokenPartition(pk);
  const now = await partitionItems(deps, table, pk);
  const then = await partitionItems(deps, copy, pk);
  const keys = new Map(
    relatedKeys(tenantId, [...now, ...then])
      .map((key) => marshall(key))
      .map((key) => [keyText(key), key] as const),
  );
  const related = async (from: string) =>
    (await readAll(deps, from, keys.values())).filter((item) => belongs(item, id));
  const wanted = new Map([...now, ...(await related(table))].map((item) => [keyText(item), item] as const));
  const found = [...then, ...(await related(copy))];
  return [
    ...[...wanted.values()].map((Item) => ({ PutRequest: { Item } })),
    ...found.flatMap((item) => {
      const { pk: hash, sk } = item;
      if (wanted.has(keyText(item)) || hash === undefined || sk === undefined) return [];
      return [{ DeleteRequest: { Key: { pk: hash, sk } } }];
    }),
  ];
}

/** Replaces tokens of a copy by the current ones, with all their items. */
export async function carryTokens(
  deps: RestoreDeps,
  table: string,
  copy: string,
  partitions: Iterable<string>,
): Promise<void> {
  await concurrently(partitions, WRITERS, async (pk) => {
    await writeAll(deps, copy, await carried(deps, table, copy, pk));
  });
}
