import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, type Table } from './table-client.ts';
import { writeIf } from './write-if.ts';

interface Condition {
  readonly expression: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
}

/**
 * Writes an item under a condition. `written` also if the condition fails because this very item is
 * there already: an earlier attempt wrote it and lost its response. Otherwise what is in the way,
 * if there is something.
 */
export async function putIf<T>(
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
  const outcome = await writeIf(client, command);
  if (outcome === 'written') return 'written';
  const found = outcome.found && read(outcome.found);
  return outcome.mayBeOwn && found !== undefined && isSame(found) ? 'written' : { found };
}
