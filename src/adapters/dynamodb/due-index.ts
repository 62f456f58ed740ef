import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { sortableTime } from '../../core/shared/position.ts';
import { DUE_PARTITIONS, INDEXES, RETRIED_PARTITION, type ItemKey } from './keys.ts';
import { send, type Item, type Table } from './table-client.ts';

/** Most records that one Query of the due index reads. */
const PAGE = 500;

/** A time that is later than any due time, in ms since the epoch. */
export const END_OF_TIME = 8_640_000_000_000_000 / 100;

const entry = z.lazy(() => z.object({ pk: z.string(), sk: z.string(), dueSk: z.string() }));

export interface DueEntry {
  readonly key: ItemKey;
  /** In ms since the epoch. */
  readonly dueAt: number;
}

/** Reads one partition a page at a time, oldest first. */
async function* pages(
  { client, platform, name }: Table,
  partition: string,
  now: number,
): AsyncGenerator<readonly DueEntry[]> {
  let start: Item | undefined;
  do {
    const command: QueryCommand = new QueryCommand({
      TableName: name,
      IndexName: INDEXES.due,
      KeyConditionExpression: 'duePk = :partition AND dueSk <= :now',
      ExpressionAttributeValues: { ':partition': partition, ':now': sortableTime(now) },
      Limit: PAGE,
      ...(start === undefined ? {} : { ExclusiveStartKey: start }),
    });
    const page = await send(platform, () => client.send(command));
    start = page.LastEvaluatedKey;
    yield (page.Items ?? []).map((item) => {
      const { pk, sk, dueSk } = entry.parse(item);
      return { key: { pk, sk }, dueAt: parseInt(dueSk, 36) };
    });
  } while (start !== undefined);
}

/**
 * Due entries in batches. A batch has one page of each partition, sorted, oldest first. The pages
 * are read concurrently, so that a backlog in one partition does not delay the others. Scans
 * nothing.
 */
export async function* dueEntries(
  table: Table,
  now: number,
  partitions: readonly string[] = DUE_PARTITIONS,
): AsyncGenerator<readonly DueEntry[]> {
  let open = partitions.map((partition) => pages(table, partition, now));
  while (open.length > 0) {
    const turns = await Promise.all(
      open.map(async (partition) => ({ partition, turn: await partition.next() })),
    );
    const entries = turns.flatMap(({ turn }) => (turn.done === true ? [] : turn.value));
    yield entries.toSorted((a, b) => a.dueAt - b.dueAt);
    open = turns.flatMap(({ partition, turn }) => (turn.done === true ? [] : [partition]));
  }
}

/**
 * The due time of the oldest record in a table's due index, in ms since the epoch; `undefined` if
 * there is none.
 */
export async function oldestDue({ client, platform, name }: Table): Promise<number | undefined> {
  const firsts = [...DUE_PARTITIONS, RETRIED_PARTITION].map(async (partition) => {
    const command = new QueryCommand({
      TableName: name,
      IndexName: INDEXES.due,
      KeyConditionExpression: 'duePk = :partition',
      ExpressionAttributeValues: { ':partition': partition },
      Limit: 1,
    });
    const { Items: items = [] } = await send(platform, () => client.send(command));
    return items.map((item) => parseInt(entry.parse(item).dueSk, 36));
  });
  const times = (await Promise.all(firsts)).flat();
  return times.length === 0 ? undefined : Math.min(...times);
}
