import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { send, type DynamoDb, type TransactWriteItem } from './table-client.ts';
import { isTombstone } from './token-item.ts';
import { failedCondition, sendTransaction } from './transact.ts';
import { conditionalWrite } from './conditional-write.ts';

export interface WriteCalls {
  /** Writes all items or none. A single put or delete is a plain call at half the price. */
  transact(items: readonly TransactWriteItem[]): Promise<void>;
  /** Writes all items or none, and deletes a lock unless another token owns it by now. */
  transactReleasing(
    own: TransactWriteItem,
    lock: TransactWriteItem | undefined,
    rest: readonly TransactWriteItem[],
  ): Promise<void>;
}

const RETURN_FOUND = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

/** Deletes an item, or replaces it by its tombstone. */
async function deleteOne(dynamodb: DynamoDb, command: DeleteCommand | PutCommand): Promise<void> {
  const outcome = await conditionalWrite(dynamodb, command);
  if (outcome === 'written') return;
  const { found, mayBeOwn, error } = outcome;
  const isDone =
    command instanceof PutCommand ? found !== undefined && isTombstone(found) : found === undefined;
  // An earlier attempt has deleted the item, and its response was lost.
  if (!mayBeOwn || !isDone) throw error;
}

export function createWriteCalls(dynamodb: DynamoDb): WriteCalls {
  const { client, platform } = dynamodb;

  async function transact(items: readonly TransactWriteItem[]): Promise<void> {
    const [{ Put: put, Delete: remove } = {}, second] = items;
    if (second === undefined && put?.Item !== undefined) {
      if (isTombstone(put.Item)) await deleteOne(dynamodb, new PutCommand({ ...put, ...RETURN_FOUND }));
      else await send(platform, () => client.send(new PutCommand(put)));
    } else if (second === undefined && remove !== undefined) {
      await deleteOne(dynamodb, new DeleteCommand({ ...remove, ...RETURN_FOUND }));
    } else await sendTransaction(dynamodb, items);
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
  };
}
