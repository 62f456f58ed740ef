import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { ItemKey } from './keys.ts';
import { send, type Item, type Table } from './table-client.ts';

interface Listing {
  readonly tenantId: string;
  /** The sort key prefixes of listed items; ids follow, and sort by creation. */
  readonly prefix: string;
  /** Starts after this one. */
  readonly after: ItemKey | undefined;
  /** Most items of one Query. */
  readonly pageSize: number;
}

/** The items of one kind in a tenant's partition, newest first, a page at a time. */
export async function* tenantItems(
  { client, name }: Table,
  { tenantId, prefix, after, pageSize }: Listing,
): AsyncGenerator<readonly Item[]> {
  let start: Item | undefined = after === undefined ? undefined : { ...after };
  do {
    const command: QueryCommand = new QueryCommand({
      TableName: name,
      KeyConditionExpression: 'pk = :tenant AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':tenant': tenantId, ':prefix': prefix },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: pageSize,
      ...(start === undefined ? {} : { ExclusiveStartKey: start }),
    });
    const page = await send(() => client.send(command));
    start = page.LastEvaluatedKey;
    yield page.Items ?? [];
  } while (start !== undefined);
}
