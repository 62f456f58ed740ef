import { chunk } from './chunk.ts';
import type { DynamoDb, TransactWriteItem } from './table-client.ts';
import { fits } from './transaction-size.ts';
import { sendTransaction } from './transact.ts';

/** Writes that belong to one step of a write of several steps. */
export interface GuardedWrites {
  /**
   * Checks that the token is still in this step. Every transaction has it, so that a call which
   * arrives after the step, even for the first time, does nothing (docs/decisions/0057).
   */
  readonly guard: TransactWriteItem;
  readonly guardBytes: number;
  readonly writes: readonly TransactWriteItem[];
  /** Bytes of each write. */
  readonly writeBytes: number;
}

/** Most transactions that are sent concurrently. */
const LANES = 4;

/** Makes transactions that contain a guard before the writes that it guards. */
export function guardedTransactions(
  steps: readonly GuardedWrites[],
): readonly (readonly TransactWriteItem[])[] {
  const all: TransactWriteItem[][] = [];
  let current: TransactWriteItem[] = [];
  let bytes = 0;
  for (const { guard, guardBytes, writes, writeBytes } of steps) {
    let isGuarded = false;
    for (const write of writes) {
      const needed = isGuarded ? writeBytes : guardBytes + writeBytes;
      const isFull = !fits(current.length + (isGuarded ? 1 : 2), bytes + needed);
      if (isFull || all.length === 0) {
        current = [];
        all.push(current);
        bytes = 0;
        isGuarded = false;
      }
      if (!isGuarded) current.push(guard);
      bytes += isGuarded ? writeBytes : guardBytes + writeBytes;
      isGuarded = true;
      current.push(write);
    }
  }
  return all;
}

/**
 * Makes any number of writes, each under the guard of its step. Rejects if a guard fails. Two
 * transactions with one guard conflict, so those of one token are sent one after the other.
 */
export async function writeGuarded(dynamodb: DynamoDb, steps: readonly GuardedWrites[]): Promise<void> {
  const lanes = chunk(steps, Math.max(1, Math.ceil(steps.length / LANES)));
  await Promise.all(
    lanes.map(async (lane) => {
      for (const items of guardedTransactions(lane)) await sendTransaction(dynamodb, items);
    }),
  );
}
