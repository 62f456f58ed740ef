import type { AwsAccess, AwsCall, AwsError } from '../../src/aws-service.ts';
import { createDynamoDb, type DynamoDb } from '../../src/dynamodb/create-dynamodb.ts';
import type { Item } from '../../src/dynamodb/item.ts';
import type { TableDefinition } from '../../src/dynamodb/table.ts';
import type { StorageFailure } from '../../src/storage-failure.ts';

export const account = { accountId: '123456789012', region: 'eu-west-1' };
export const tableArn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/Things';

/** A table that has a composite key, and an index of each projection. */
export const things: TableDefinition = {
  name: 'Things',
  attributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'group', AttributeType: 'S' },
    { AttributeName: 'rank', AttributeType: 'N' },
  ],
  keySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  globalSecondaryIndexes: [
    {
      IndexName: 'by-rank',
      KeySchema: [
        { AttributeName: 'group', KeyType: 'HASH' },
        { AttributeName: 'rank', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['name'] },
    },
    {
      IndexName: 'by-group',
      KeySchema: [{ AttributeName: 'group', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
    {
      IndexName: 'whole',
      KeySchema: [{ AttributeName: 'rank', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
  timeToLiveAttribute: 'gone_at',
};

/** A table that has only a partition key. */
export const plain: TableDefinition = {
  name: 'Plain',
  attributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
  keySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
};

export interface ConsumedCapacity {
  readonly TableName: string;
  readonly CapacityUnits: number;
  readonly ReadCapacityUnits?: number;
  readonly WriteCapacityUnits?: number;
  readonly Table?: { readonly CapacityUnits: number };
  readonly GlobalSecondaryIndexes?: Readonly<Record<string, { readonly CapacityUnits: number }>>;
}

/** The members that tests read, of all responses together. */
export interface Response {
  readonly Item?: Item;
  readonly Attributes?: Item;
  readonly Items?: readonly Item[];
  readonly Count?: number;
  readonly ScannedCount?: number;
  readonly LastEvaluatedKey?: Item;
  readonly Responses?: unknown;
  readonly UnprocessedKeys?: Readonly<Record<string, { readonly Keys: readonly Item[] }>>;
  readonly ConsumedCapacity?: ConsumedCapacity;
  readonly TimeToLiveDescription?: object;
  readonly Table?: object;
  readonly TableNames?: readonly string[];
}

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly wire: Readonly<Record<string, unknown>>;
}

export interface TestDynamoDb {
  readonly service: DynamoDb;
  readonly send: (target: string, input: object) => Promise<Response>;
  /** The failure of a call, with its code and its response body. Throws when the call succeeds. */
  readonly failureOf: (target: string, input: object) => Promise<Failure>;
  readonly accesses: (target: string, input: object) => readonly AwsAccess[];
}

/** A call of the administrator. A text is sent as the body. */
export function aCall(target: string, input: object | string): AwsCall {
  return {
    service: 'dynamodb',
    method: 'POST',
    path: '/',
    query: new URLSearchParams(),
    headers: {},
    target,
    body: Buffer.from(typeof input === 'string' ? input : JSON.stringify(input)),
    principal: { kind: 'administrator' },
  };
}

function isAwsError(error: unknown): error is AwsError {
  return typeof error === 'object' && error !== null && 'code' in error && 'fields' in error;
}

/**
 * A database with the tables `Things` and `Plain`, in memory or in a directory; called without
 * HTTP.
 */
export async function aDynamoDb(
  dataDir?: string,
  storageFailure?: StorageFailure,
  now?: () => number,
): Promise<TestDynamoDb> {
  const service = await createDynamoDb({
    ...account,
    ...(dataDir !== undefined && { dataDir }),
    ...(storageFailure !== undefined && { storageFailure }),
    ...(now !== undefined && { now }),
  });
  await service.createTable(things);
  await service.createTable(plain);

  const send = async (target: string, input: object): Promise<Response> => {
    const { body } = await service.handle(aCall(target, input));
    return JSON.parse(body.toString()) as Response;
  };

  return {
    service,
    send,
    failureOf: async (target, input) => {
      try {
        await send(target, input);
      } catch (error) {
        if (!isAwsError(error)) throw error;
        const wire = JSON.parse(service.failure(error).body.toString()) as Failure['wire'];
        return { code: error.code, message: error.message, wire };
      }
      throw new Error(`${target} succeeded`);
    },
    accesses: (target, input) => service.accesses(aCall(target, input)),
  };
}

export const s = (text: string) => ({ S: text });
export const n = (number: number) => ({ N: String(number) });

/** An attribute value of about that many bytes. */
export const ofBytes = (bytes: number) => ({ S: 'x'.repeat(bytes) });

export const thingKey = (pk: string, sk = '1'): Item => ({ pk: s(pk), sk: s(sk) });
export const aThing = (pk: string, sk: string, more: Item = {}): Item => ({ pk: s(pk), sk: s(sk), ...more });
