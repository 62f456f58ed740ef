import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  type CancellationReason,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { LOCK, lockTenant } from './keys.ts';
import { itemOf, type Item } from './table-client.ts';

/** A failed condition: the write of the transaction that had it, and the item that exists there. */
export interface FailedCondition {
  readonly index: number;
  readonly item: Item | undefined;
}

/** The first failed condition of a write; `undefined` if it failed for another reason. */
export function failedCondition(error: unknown): FailedCondition | undefined {
  if (error instanceof ConditionalCheckFailedException) return { index: 0, item: itemOf(error) };
  if (!(error instanceof TransactionCanceledException)) return undefined;
  const reasons: readonly CancellationReason[] = error.CancellationReasons ?? [];
  const index = reasons.findIndex(({ Code }) => Code === 'ConditionalCheckFailed');
  return index === -1 ? undefined : { index, item: itemOf(reasons[index]) };
}

const lockItem = z.lazy(() => z.object({ pk: z.string(), tokenId: z.string() }));

/** The lock of a match hash, and the token that owns it. */
export interface Lock {
  readonly tenantId: string;
  readonly tokenId: string;
}

/** Parses a lock; `undefined` for another kind of item. */
export function readLock(item: Item): Lock | undefined {
  if (item['sk'] !== LOCK) return undefined;
  const { pk, tokenId } = lockItem.parse(item);
  return { tenantId: lockTenant(pk), tokenId };
}
