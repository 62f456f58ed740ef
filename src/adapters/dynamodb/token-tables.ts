import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The tables that tokens stand in. */
export interface TokenTables {
  readonly client: DynamoDBDocumentClient;
  readonly tokensTable: string;
  readonly ephemeralTable: string;
  /**
   * Over how many partitions of the list index a tenant's tokens are spread (deploy setting
   * `listShards`).
   */
  readonly listShards: number;
}
