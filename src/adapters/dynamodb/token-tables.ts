import type { DynamoDb } from './table-client.ts';

/** The tables that have tokens and what belongs to them. */
export interface TokenTables extends DynamoDb {
  readonly tokensTable: string;
  readonly ephemeralTable: string;
  /** The number of partitions that the list index has for one tenant. */
  readonly listShards: number;
}

/**
 * {@link TokenTables.listShards} of every deployment. It is not a setting: a deployment with fewer
 * partitions than before would no longer list the tokens in the others.
 */
export const LIST_SHARDS = 8;
