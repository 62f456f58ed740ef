import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient, TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod/mini';
import { $ZodObjectJIT } from 'zod/v4/core';
import { type Platform } from '../../core/shared/platform.ts';
import { callDependency, unavailable } from '../aws/dependency-error.ts';

/**
 * An item as plain values for a schema to parse, in which numbers are numbers and binary is
 * `Uint8Array`.
 */
export type Item = Record<string, unknown>;

/** One write of a transaction. */
export type TransactWriteItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/**
 * The item that a failed condition found, which the document client leaves in DynamoDB's format.
 */
export function itemOf(
  refused: { readonly Item?: Record<string, AttributeValue> | undefined } | undefined,
): Item | undefined {
  return refused?.Item && unmarshall(refused.Item);
}

/** Selects the members of a record that a schema names. No other member of the object is stored. */
export function membersOf(shape: object, record: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => Object.hasOwn(shape, name)));
}

/** A binary attribute in a schema. DynamoDB returns a `Uint8Array`, and core uses `Buffer`. */
export const binary = z.pipe(
  z.instanceof(Uint8Array),
  z.transform((bytes): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
);

/**
 * Compiles a schema to a function when it first parses, since many items are read at a time. Plain
 * zod/mini schemas check their members one by one, which takes several times as long.
 */
export const compiled = <Schema extends z.ZodMiniObject>(schema: Schema): Schema =>
  new $ZodObjectJIT(schema._zod.def) as unknown as Schema;

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

/**
 * Sends a command. Retries a conflict with another transaction on the item, which is unrelated to
 * the condition of the write. Throws `dependency_unavailable` if the conflict persists.
 */
export async function send<T>(platform: Platform, call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await callDependency(call);
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (attempt >= CONFLICT_ATTEMPTS) throw unavailable(error);
      await platform.pause(platform.random.fraction() * CONFLICT_BASE_MS * 2 ** attempt);
    }
  }
}

/** DynamoDB as one instance uses it. */
export interface DynamoDb {
  readonly client: DynamoDBDocumentClient;
  readonly platform: Platform;
}

/** A table, and the client that an adapter uses for it. */
export interface Table extends DynamoDb {
  readonly name: string;
}
