import {
  BatchWriteCommand,
  DeleteCommand,
  PutCommand,
  type BatchWriteCommandInput,
  type DynamoDBDocumentClient,
} from '@aws-sdk/lib-dynamodb';
import { groups } from './groups.ts';
import { send, type TransactWriteItem } from './table-client.ts';
import { sendTransaction } from './transact.ts';
import { writeIf } from './write-if.ts';
import { failedCondition } from './write-obstacle.ts';

/**
 * Writes that one transaction takes, and its size in bytes with room for keys (AWS: 100 and 4 MB).
 */
export const TRANSACTION_WRITES = 100;
export const TRANSACTION_BYTES = 3_900_000;
const BATCH_WRITES = 25;
/** Batches that are under way at once. */
const BATCHES_AT_ONCE = 4;

/** How several writes go out. */
export interface WriteCalls {
  /** All or nothing. A single put or delete is a plain call, which costs half. */
  transact(items: readonly TransactWriteItem[]): Promise<void>;
  /**
   * All or nothing, with the removal of a lock; the lock is left alone if it is another token's by
   * now.
   */
  transactReleasing(
    own: TransactWriteItem,
    lock: TransactWriteItem | undefined,
    rest: readonly TransactWriteItem[],
  ): Promise<void>;
  /** Puts and deletes without conditions, as many as there are, in no order. */
  writeAll(items: readonly TransactWriteItem[]): Promise<void>;
}

export function createWriteCalls(client: DynamoDBDocumentClient): WriteCalls {
  async function transact(items: readonly TransactWriteItem[]): Promise<void> {
    const [only] = items;
    const { Put: put, Delete: remove } = items.length === 1 && only !== undefined ? only : {};
    if (put !== undefined) {
      await send(() => client.send(new PutCommand(put)));
      return;
    }
    if (remove !== undefined) {
      const command = new DeleteCommand({ ...remove, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
      const outcome = await writeIf(client, command);
      if (outcome === 'written') return;
      // An earlier attempt has deleted the item, and its response was lost.
      if (outcome.mayBeOwn && outcome.found === undefined) return;
      throw outcome.error;
    }
    await sendTransaction(client, items);
  }

  async function writeBatch(group: readonly TransactWriteItem[]): Promise<void> {
    let requests: NonNullable<BatchWriteCommandInput['RequestItems']> = {};
    for (const { Put: put, Delete: remove } of group) {
      const table = put?.TableName ?? remove?.TableName ?? '';
      (requests[table] ??= []).push(
        put === undefined ? { DeleteRequest: { Key: remove?.Key } } : { PutRequest: { Item: put.Item } },
      );
    }
    while (Object.keys(requests).length > 0) {
      const command = new BatchWriteCommand({ RequestItems: requests });
      requests = (await send(() => client.send(command))).UnprocessedItems ?? {};
    }
  }

  return {
    transact,

    async transactReleasing(own, lock, rest) {
      if (lock === undefined) return transact([own, ...rest]);
      try {
        await transact([own, lock, ...rest]);
      } catch (error) {
        if (failedCondition(error)?.index !== 1) throw error;
        await transact([own, ...rest]);
      }
    },

    async writeAll(items) {
      for (const batches of groups(groups(items, BATCH_WRITES), BATCHES_AT_ONCE))
        await Promise.all(batches.map(writeBatch));
    },
  };
}
