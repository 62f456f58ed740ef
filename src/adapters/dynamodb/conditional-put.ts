import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, type Table } from './table-client.ts';
import { conditionalWrite } from './conditional-write.ts';

interface Condition {
  readonly expression: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
}

/**
 * Returns `written` also if an earlier attempt wrote this very item and its response was lost. If
 * the condition fails otherwise, returns the item that exists, if any.
 */
export async function conditionalPut<T>(
  { client, name }: Table,
  item: Item,
  { expression, names, values }: Condition,
  { read, isSame }: { readonly read: (found: Item) => T; readonly isSame: (found: T) => boolean },
): Promise<'written' | { readonly found: T | undefined }> {
  const command = new PutCommand({
    TableName: name,
    Item: item,
    ConditionExpression: expression,
    ...(names && { ExpressionAttributeNames: { ...names } }),
    ...(values && { ExpressionAttributeValues: values }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  const outcome = await conditionalWrite(client, command);
  if (outcome === 'written') return 'written';
  const found = outcome.found && read(outcome.found);
  return outcome.mayBeOwn && found !== undefined && isSame(found) ? 'written' : { found };
}
