import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall, type NativeAttributeValue } from '@aws-sdk/util-dynamodb';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { callDependency, unavailable } from '../aws/dependency-error.ts';

/** An item as the tables hold it. */
export type Item = Record<string, AttributeValue>;

/** Attribute values for an item or a key; members that are `undefined` are left out. */
export function toItem(value: Readonly<Record<string, unknown>>): Item {
  return marshall(value as Record<string, NativeAttributeValue>, { removeUndefinedValues: true });
}

/** An item as plain values, for a schema to parse: numbers as numbers, binary as `Uint8Array`. */
export function fromItem(item: Item): Record<string, unknown> {
  return unmarshall(item);
}

/** Those members of a record that a schema's shape names: nothing else that the object carries is stored. */
export function membersOf(shape: object, record: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => Object.hasOwn(shape, name)));
}

/** A binary attribute in a schema: it comes back as `Uint8Array`; the core speaks `Buffer`. */
export const binary = z.pipe(
  z.instanceof(Uint8Array),
  z.transform((bytes): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
);

const CONFLICT_ATTEMPTS = 6;
const CONFLICT_BASE_MS = 10;

function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'TransactionConflictException') return true;
  const reasons = (error as { CancellationReasons?: readonly { Code?: string }[] }).CancellationReasons ?? [];
  const failed = reasons.filter(({ Code }) => Code !== undefined && Code !== 'None');
  return (
    failed.length > 0 &&
    failed.every(({ Code }) =>
      ['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'].includes(Code ?? ''),
    )
  );
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Sends a DynamoDB command. A write that met another transaction on the same item is tried again with jitter: such a conflict
 * says nothing about the condition of the write. One that does not pass is `dependency_unavailable`.
 */
export async function send<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await callDependency(call);
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (attempt >= CONFLICT_ATTEMPTS) throw unavailable(error);
      await sleep(Math.random() * CONFLICT_BASE_MS * 2 ** attempt);
    }
  }
}

/** A table as an adapter needs it. */
export interface Table {
  readonly client: DynamoDBClient;
  readonly name: string;
}
