import { randomUUID } from 'node:crypto';
import { TransactWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type TransactWriteItem, send } from './table-client.ts';
import { failedCondition } from './failed-condition.ts';

/**
 * Writes all items or none, once, however often the call is repeated. Rejects with the error of
 * DynamoDB. The only place that sends a TransactWriteItems (eslint.config.js).
 */
export async function sendTransaction(
  client: DynamoDBDocumentClient,
  items: readonly TransactWriteItem[],
): Promise<void> {
  const command = new TransactWriteCommand({
    TransactItems: [...items],
    // Without it the SDK creates a new token for each `client.send`, and a repeat fails on its own
    // write.
    ClientRequestToken: randomUUID(),
  });
  await send(() => client.send(command));
}

/** Writes all items or none; `false`, and nothing is written, if a condition fails. */
export async function transact(
  client: DynamoDBDocumentClient,
  items: readonly TransactWriteItem[],
): Promise<boolean> {
  try {
    await sendTransaction(client, items);
    return true;
  } catch (error) {
    if (failedCondition(error) === undefined) throw error;
    return false;
  }
}
