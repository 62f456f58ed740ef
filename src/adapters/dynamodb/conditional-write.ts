import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DeleteCommand, PutCommand, type UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { itemOf, send, type DynamoDb, type Item, type Table } from './table-client.ts';

/** A write whose condition failed. */
export interface RefusedWrite {
  /**
   * The existing item, if there is one and the command asks for it
   * (`ReturnValuesOnConditionCheckFailure`).
   */
  readonly found: Item | undefined;
  /**
   * Whether an earlier attempt of this call may have written and lost its response. `found` then
   * shows that write.
   */
  readonly mayBeOwn: boolean;
  readonly error: ConditionalCheckFailedException;
}

/**
 * Whether the SDK made more than one attempt: an earlier one lost its response or was throttled.
 */
function wasRepeated(error: unknown): boolean {
  const { $metadata: metadata } = error as { readonly $metadata?: { readonly attempts?: number } };
  return (metadata?.attempts ?? 1) > 1;
}

/**
 * Writes one item under a condition. A single write has no request token, so the caller must
 * recognise its own write by `mayBeOwn`.
 */
export async function conditionalWrite(
  { client, platform }: DynamoDb,
  command: PutCommand | UpdateCommand | DeleteCommand,
): Promise<'written' | RefusedWrite> {
  let mayBeOwn = false;
  try {
    await send(platform, async () => {
      try {
        await client.send(command as PutCommand);
      } catch (error) {
        mayBeOwn ||= wasRepeated(error);
        throw error;
      }
    });
    return 'written';
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { found: itemOf(error), mayBeOwn, error };
  }
}

interface Condition {
  readonly expression: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
}

/** The first version of an item is new, and each other replaces the one before. */
export const replaces = (version: number): Condition =>
  version === 1
    ? { expression: 'attribute_not_exists(pk)' }
    : {
        expression: '#version = :before',
        names: { '#version': 'version' },
        values: { ':before': version - 1 },
      };

/**
 * Returns `written` also if an earlier attempt wrote this very item and its response was lost. If
 * the condition fails for another reason, returns the item that exists, if any.
 */
export async function conditionalPut<T>(
  table: Table,
  item: Item,
  { expression, names, values }: Condition,
  { read, isSame }: { readonly read: (found: Item) => T; readonly isSame: (found: T) => boolean },
): Promise<'written' | { readonly found: T | undefined }> {
  const command = new PutCommand({
    TableName: table.name,
    Item: item,
    ConditionExpression: expression,
    ...(names && { ExpressionAttributeNames: { ...names } }),
    ...(values && { ExpressionAttributeValues: values }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  const outcome = await conditionalWrite(table, command);
  if (outcome === 'written') return 'written';
  const found = outcome.found && read(outcome.found);
  return outcome.mayBeOwn && found !== undefined && isSame(found) ? 'written' : { found };
}
