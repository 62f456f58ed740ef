import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { END_OF_TIME } from '../../core/trail/seal.ts';
import type { Seal, SealHead, SealReader, SealStore } from '../../core/trail/trail-store.ts';
import { getItem } from './batch-get.ts';
import { insertNew } from './insert-only.ts';
import { SEAL_HEAD_KEY, sealKey, SEALS, SEALS_BEGIN_KEY } from './keys.ts';
import { conditionalPut } from './conditional-write.ts';
import { binary, send, type Item, type Table } from './table-client.ts';

const sealItem = z.lazy(() =>
  z.strictObject({ pk: z.literal(SEALS), sk: z.string(), body: z.string(), signature: binary }),
);
const beginItem = z.lazy(() => z.object({ from: z.int() }));
const headItem = z.lazy(() => z.object({ seal: binary }));
/** No interval begins later, or has as many parts. */
const LAST_SEAL = sealKey(END_OF_TIME - 1, 9_999).sk;
const PLACE = /^([\da-z]{9})#(\d{4})$/;

/** Reads a seal. An item that is not a seal gets an empty signature. */
export function readSeal(item: Item): Seal {
  const [, from = '0', part = '0'] = PLACE.exec(String(item['sk'])) ?? [];
  const place = { from: parseInt(from, 36), part: Number(part) };
  const parsed = sealItem.safeParse(item);
  if (!parsed.success) return { ...place, body: '', signature: Buffer.alloc(0) };
  const { body, signature } = parsed.data;
  return { ...place, body, signature };
}

/** Seals, which can be read and inserted. */
export function createSealReader({ client, platform, name }: Table): SealReader {
  return {
    async newest() {
      const command = new QueryCommand({
        TableName: name,
        ConsistentRead: true,
        // The key must have the form of a seal's, so that an item that is not a seal cannot hide
        // the newest one.
        KeyConditionExpression: 'pk = :seals AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: { ':seals': SEALS, ':from': sealKey(0, 0).sk, ':to': LAST_SEAL },
        ScanIndexForward: false,
        Limit: 1,
      });
      const { Items = [] } = await send(platform, () => client.send(command));
      return Items.map(readSeal)[0];
    },

    async *seals(from, to) {
      // DynamoDB refuses a range whose end is before its start.
      if (to <= from) return;
      let start: Item | undefined;
      do {
        const command: QueryCommand = new QueryCommand({
          TableName: name,
          ConsistentRead: true,
          KeyConditionExpression: 'pk = :seals AND sk BETWEEN :from AND :to',
          ExpressionAttributeValues: {
            ':seals': SEALS,
            ':from': sealKey(Math.max(from, 0), 0).sk,
            // No interval has as many parts.
            ':to': sealKey(Math.max(to - 1, 0), 9_999).sk,
          },
          ...(start === undefined ? {} : { ExclusiveStartKey: start }),
        });
        const page = await send(platform, () => client.send(command));
        start = page.LastEvaluatedKey;
        yield (page.Items ?? []).map(readSeal);
      } while (start !== undefined);
    },
  };
}

export function createSealStore(table: Table): SealStore {
  return {
    ...createSealReader(table),

    async begin(from) {
      if (await insertNew(table, { ...SEALS_BEGIN_KEY, from })) return from;
      const { Items: [item] = [] } = await send(table.platform, () =>
        table.client.send(
          new QueryCommand({
            TableName: table.name,
            ConsistentRead: true,
            KeyConditionExpression: 'pk = :begin',
            ExpressionAttributeValues: { ':begin': SEALS_BEGIN_KEY.pk },
          }),
        ),
      );
      return beginItem.parse(item).from;
    },

    insert: ({ from, part, body, signature }) =>
      insertNew(table, { ...sealKey(from, part), body, signature }),
  };
}

/** The head is in the table of keys, where the writer of seals can write nothing else. */
export function createSealHead(table: Table): SealHead {
  return {
    async read() {
      const item = await getItem(table, SEAL_HEAD_KEY);
      return item && headItem.parse(item).seal;
    },

    async move(from, to) {
      const condition =
        from === undefined
          ? { expression: 'attribute_not_exists(pk)' }
          : { expression: '#seal = :from', names: { '#seal': 'seal' }, values: { ':from': from } };
      const outcome = await conditionalPut(table, { ...SEAL_HEAD_KEY, seal: to }, condition, {
        read: (item) => headItem.parse(item).seal,
        isSame: (found) => found.equals(to),
      });
      return outcome === 'written';
    },
  };
}
