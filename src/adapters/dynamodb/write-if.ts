import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  type DeleteCommand,
  type PutCommand,
  type UpdateCommand,
  type DynamoDBDocumentClient,
} from '@aws-sdk/lib-dynamodb';
import { itemOf, send, type Item } from './table-client.ts';

/** A write whose condition failed. */
export interface RefusedWrite {
  /**
   * The item that is there now, if the command asks for it (`ReturnValuesOnConditionCheckFailure`)
   * and there is one.
   */
  readonly found: Item | undefined;
  /**
   * An earlier attempt of this call may have made the write and lost its response; then `found`
   * shows what it wrote.
   */
  readonly mayBeOwn: boolean;
  readonly error: ConditionalCheckFailedException;
}

/**
 * More than one attempt of the SDK: the response to an earlier one was lost, or it was throttled.
 */
function wasRepeated(error: unknown): boolean {
  const { $metadata: metadata } = error as { readonly $metadata?: { readonly attempts?: number } };
  return (metadata?.attempts ?? 1) > 1;
}

/**
 * Writes one item under a condition. A single write has no request token: the caller must recognise
 * its own write by `mayBeOwn`.
 */
export async function writeIf(
  client: DynamoDBDocumentClient,
  command: PutCommand | UpdateCommand | DeleteCommand,
): Promise<'written' | RefusedWrite> {
  let mayBeOwn = false;
  try {
    await send(async () => {
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
