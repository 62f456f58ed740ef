import { ConditionalCheckFailedException, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { send, toItem, type Item, type Table } from './table-client.ts';

interface Condition {
  readonly expression: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
}

/**
 * Writes an item under a condition. `written` also if the condition fails because this very item stands there already: then it was written
 * and its answer was lost on the way. Otherwise the item that stands in the way, if there is one.
 */
export async function putIf(
  { client, name }: Table,
  item: Item,
  { expression, names, values }: Condition,
  isSame: (found: Item) => boolean,
): Promise<'written' | { readonly found: Item | undefined }> {
  const command = new PutItemCommand({
    TableName: name,
    Item: item,
    ConditionExpression: expression,
    ...(names && { ExpressionAttributeNames: { ...names } }),
    ...(values && { ExpressionAttributeValues: toItem(values) }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    await send(() => client.send(command));
    return 'written';
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return error.Item !== undefined && isSame(error.Item) ? 'written' : { found: error.Item };
  }
}
