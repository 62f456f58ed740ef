import {
  TransactWriteItemsCommand,
  type DynamoDBClient,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb';
import { send } from './table-client.ts';
import { failedCondition } from './write-obstacle.ts';

/** Writes all or nothing; `false`, and nothing written, if a condition did not hold. */
export async function transact(
  client: DynamoDBClient,
  items: readonly TransactWriteItem[],
): Promise<boolean> {
  // One command for all attempts: the SDK gives it one ClientRequestToken, so that a repeated attempt writes nothing twice.
  const command = new TransactWriteItemsCommand({ TransactItems: [...items] });
  try {
    await send(() => client.send(command));
    return true;
  } catch (error) {
    if (failedCondition(error) === undefined) throw error;
    return false;
  }
}
