import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The tables of tokens. */
export interface TokenTables {
  readonly client: DynamoDBDocumentClient;
  readonly tokensTable: string;
  readonly ephemeralTable: string;
  /** The number of partitions of the list index for one tenant (deploy setting `listShards`). */
  readonly listShards: number;
}
