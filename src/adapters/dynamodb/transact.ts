import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  type CancellationReason,
} from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { itemOf, send, type DynamoDb, type Item, type TransactWriteItem } from './table-client.ts';

/**
 * Writes all items or none, once, however often the call is repeated. Rejects with the error of
 * DynamoDB. Only this function sends a TransactWriteItems (oxlint.config.ts).
 */
export async function sendTransaction(
  { client, platform }: DynamoDb,
  items: readonly TransactWriteItem[],
): Promise<void> {
  const command = new TransactWriteCommand({
    TransactItems: [...items],
    // Without a token here, the SDK creates a new one for each `client.send`, and a repeat fails on
    // its own write.
    ClientRequestToken: platform.random.uuid(),
  });
  await send(platform, () => client.send(command));
}

/** A failed condition: the write of the transaction that had it, and the item that exists there. */
interface FailedCondition {
  readonly index: number;
  readonly item: Item | undefined;
}

/** The failed conditions of a write, in its order; none if it failed for another reason. */
export function failedConditions(error: unknown): readonly FailedCondition[] {
  if (error instanceof ConditionalCheckFailedException) return [{ index: 0, item: itemOf(error) }];
  if (!(error instanceof TransactionCanceledException)) return [];
  const reasons: readonly CancellationReason[] = error.CancellationReasons ?? [];
  return reasons.flatMap((reason, index) =>
    reason.Code === 'ConditionalCheckFailed' ? [{ index, item: itemOf(reason) }] : [],
  );
}

/** Returns the first of {@link failedConditions}. */
export const failedCondition = (error: unknown): FailedCondition | undefined => failedConditions(error)[0];

/** Writes all items or none. Returns `false`, and writes nothing, if a condition fails. */
export async function transact(dynamodb: DynamoDb, items: readonly TransactWriteItem[]): Promise<boolean> {
  try {
    await sendTransaction(dynamodb, items);
    return true;
  } catch (error) {
    if (failedCondition(error) === undefined) throw error;
    return false;
  }
}
