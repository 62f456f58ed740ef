import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { ItemKey } from './keys.ts';
import { send, type Item, type Table } from './table-client.ts';

interface Listing {
  readonly tenantId: string;
  /** The prefix of the listed sort keys. Ids follow it, and sort by creation. */
  readonly prefix: string;
  /** The list starts after this item. */
  readonly after: ItemKey | undefined;
  /** Most items that one Query reads. */
  readonly pageSize: number;
}

/** Lists the items of one kind in a tenant's partition, newest first, a page at a time. */
export async function* tenantItems(
  { client, platform, name }: Table,
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
    const page = await send(platform, () => client.send(command));
    start = page.LastEvaluatedKey;
    yield page.Items ?? [];
  } while (start !== undefined);
}
