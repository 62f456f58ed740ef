import type { AwsAccess } from '../aws-service.ts';
import type { CapacityMode } from './consumed-capacity.ts';
import type { Database } from './database.ts';
import { type Item, scalarText } from './item.ts';
import type { Verb } from './parse-statement.ts';
import type { Body } from './requests.ts';
import { hashAttribute } from './table.ts';
import type { Tables } from './tables.ts';
import type { Writer } from './writer.ts';

/** A response, with the capacity units of the call whether or not the caller asked for them. */
export interface Outcome {
  readonly body: object;
  readonly consumedCapacity: number;
}

/** A parsed request: the accesses that it needs, and how to run it. */
export interface Prepared {
  readonly accesses: readonly AwsAccess[];
  perform(): Promise<Outcome>;
}

/** Prepares one API call. Throws AwsError for an invalid request. */
export type Operation = (body: Body) => Prepared;

export interface OperationContext {
  readonly database: Database;
  readonly tables: Tables;
  readonly writer: Writer;
  /** Returns the time of the local account, in ms since the epoch. */
  readonly now: () => number;
}

/** Operations on items, which functions call. Others manage tables and backups. */
export const ITEM_OPERATIONS = [
  'BatchExecuteStatement',
  'BatchGetItem',
  'BatchWriteItem',
  'DeleteItem',
  'ExecuteStatement',
  'GetItem',
  'PutItem',
  'Query',
  'Scan',
  'TransactWriteItems',
  'UpdateItem',
] as const;

type OfParts = 'TransactWriteItems' | 'ExecuteStatement' | 'BatchExecuteStatement';

/**
 * The accesses that IAM checks: a transaction needs those of all its writes and checks, and PartiQL
 * statements those of their verbs.
 */
export type ItemAction =
  | Exclude<(typeof ITEM_OPERATIONS)[number], OfParts>
  | 'ConditionCheckItem'
  | `PartiQL${Verb}`;

/**
 * An access to items of a table, with the values of their partition keys for
 * `dynamodb:LeadingKeys`, and the names of attributes for `dynamodb:Attributes`.
 */
export function itemAccess(
  tables: Tables,
  action: ItemAction,
  tableName: string,
  items: readonly (Item | undefined)[],
  {
    indexName,
    attributes = [],
  }: { readonly indexName?: string | undefined; readonly attributes?: readonly string[] } = {},
): AwsAccess {
  const description = tables.find(tableName)?.description;
  const index = description?.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === indexName);
  const schema = index ?? description;
  const values = schema === undefined ? [] : items.map((item) => scalarText(item?.[hashAttribute(schema)]));
  const leadingKeys = [...new Set(values.filter((value) => value !== undefined))];
  return {
    action: `dynamodb:${action}`,
    resource: `${tables.arn(tableName)}${indexName === undefined ? '' : `/index/${indexName}`}`,
    ...(leadingKeys.length + attributes.length > 0 && {
      context: {
        ...(leadingKeys.length > 0 && { 'dynamodb:LeadingKeys': leadingKeys }),
        ...(attributes.length > 0 && { 'dynamodb:Attributes': attributes }),
      },
    }),
  };
}

/** The members of a response that depend on the request. */
export function withCapacity<T extends object>(
  body: T,
  capacity: unknown,
): T | (T & { ConsumedCapacity: unknown }) {
  return capacity === undefined ? body : { ...body, ConsumedCapacity: capacity };
}

export function capacityMode(body: Body): CapacityMode {
  const mode = body['ReturnConsumedCapacity'];
  return mode === 'TOTAL' || mode === 'INDEXES' ? mode : undefined;
}
