import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { toItem, type Item, type Table } from './table-client.ts';
import { writeIf } from './write-if.ts';

interface Condition {
  readonly expression: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
}

/**
 * Writes an item under a condition. `written` also if the condition fails because this very item is there already: an earlier attempt
 * wrote it and lost its response. Otherwise the item that is in the way, if there is one.
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
  const outcome = await writeIf(client, command);
  if (outcome === 'written') return 'written';
  const { found, mayBeOwn } = outcome;
  return mayBeOwn && found !== undefined && isSame(found) ? 'written' : { found };
}
