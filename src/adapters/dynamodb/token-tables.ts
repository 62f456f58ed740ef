import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The tables of tokens. */
export interface TokenTables {
  readonly client: DynamoDBDocumentClient;
  readonly tokensTable: string;
  readonly ephemeralTable: string;
  /** The number of partitions of the list index for one tenant. */
  readonly listShards: number;
}

/**
 * {@link TokenTables.listShards} of every deployment. Not a setting: a deployment with fewer
 * partitions than before would no longer list the tokens in the others.
 */
export const LIST_SHARDS = 8;
