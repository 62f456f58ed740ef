import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { z } from 'zod';
import { sortableTime } from '../../core/shared/position.ts';
import { DUE_PARTITIONS, INDEXES, type ItemKey } from './keys.ts';
import { fromItem, send, toItem, type Item, type Table } from './table-client.ts';

/** Records that one Query of the due index asks for. */
const PAGE = 500;

const entry = z.object({ pk: z.string(), sk: z.string(), dueSk: z.string() });

export interface DueEntry {
  readonly key: ItemKey;
  /** Ms since the epoch. */
  readonly dueAt: number;
}

/** The entries of a table's due index whose time has come, oldest first within each of its partitions. Nothing is scanned. */
export async function* dueEntries({ client, name }: Table, now: number): AsyncGenerator<readonly DueEntry[]> {
  for (const partition of DUE_PARTITIONS) {
    let start: Item | undefined;
    do {
      const command: QueryCommand = new QueryCommand({
        TableName: name,
        IndexName: INDEXES.due,
        KeyConditionExpression: 'duePk = :partition AND dueSk <= :now',
        ExpressionAttributeValues: toItem({ ':partition': partition, ':now': sortableTime(now) }),
        Limit: PAGE,
        ...(start === undefined ? {} : { ExclusiveStartKey: start }),
      });
      const page = await send(() => client.send(command));
      start = page.LastEvaluatedKey;
      yield (page.Items ?? []).map((item) => {
        const { pk, sk, dueSk } = entry.parse(fromItem(item));
        return { key: { pk, sk }, dueAt: parseInt(dueSk, 36) };
      });
    } while (start !== undefined);
  }
}
