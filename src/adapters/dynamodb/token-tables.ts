import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The tables that tokens stand in. */
export interface TokenTables {
  readonly client: DynamoDBClient;
  readonly tokensTable: string;
  readonly ephemeralTable: string;
  /** Over how many partitions of the list index a tenant's tokens are spread (deploy setting `listShards`). */
  readonly listShards: number;
}
