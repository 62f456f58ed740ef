import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { TransactWriteItem } from './table-client.ts';
import type { Clock } from '../../core/shared/clock.ts';
import type { UnprovenSummary } from '../../core/tokens/token.ts';
import { dueAt, isAbandoned, isTombstone, readTokenItem, type ReadToken } from './token-item.ts';
import { dataPartCount } from './token-parts.ts';
import type { TokenTables } from './token-tables.ts';
import {
  beingRemoved,
  tokenWrites,
  UNCHANGED,
  unchangedValues,
  UNFINISHED_MS,
  unsettled,
  type TokenWrites,
} from './token-writes.ts';
import type { WriteCalls } from './write-calls.ts';
import { conditionalWrite } from './conditional-write.ts';
import { writeGuarded } from './guarded-writes.ts';
import { failedCondition } from './transact.ts';
import { entryBytes, fits, tokenBytes } from './transaction-size.ts';
import { PART_BYTES } from './value-parts.ts';

/**
 * The condition, with its values, that the token's item is all that a delete must remove, and that
 * no write of it is unfinished.
 */
export const STANDS_ALONE = {
  condition: [
    'attribute_exists(encryptedData)',
    'size(terms) = :none',
    'holdsLock = :no',
    ...['cvcUntil', 'pending', 'staleTerms'].map((attribute) => `attribute_not_exists(${attribute})`),
  ].join(' AND '),
  values: { ':none': 0, ':no': false },
} as const;

/** Deletes tokens, and leftovers of multi-step writes. */
export interface TokenRemoval {
  /** Deletes this version of a token and all its items; `false` if the token has changed. */
  remove(token: UnprovenSummary): Promise<boolean>;
  /**
   * Deletes all items of an invisible token. Does nothing if it has become visible or belongs to
   * another write.
   */
  clear(read: Pick<ReadToken, 'token' | 'isLeaving' | 'staleTerms'>): Promise<void>;
  /**
   * Deletes the entries of stale terms and the data of the previous version, and clears the
   * attributes that list them. Does nothing if another writer settles them.
   */
  settle(read: Pick<ReadToken, 'token' | 'staleTerms' | 'oldParts' | 'changeId'>): Promise<void>;
  /**
   * Settles the stale terms of an unchanged token, so that no call of the writer that announced
   * them acts any more.
   */
  withdraw(read: ReadToken): Promise<void>;
  /**
   * Completes or removes the leftovers of a multi-step write. Does nothing before its time limit.
   */
  repair(read: ReadToken): Promise<void>;
}

/** Runs a conditional write. Returns whether the condition was true. */
async function holds(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (failedCondition(error) === undefined) throw error;
    return false;
  }
}

const CLAIM_ID_BYTES = 12;

interface RemovalContext {
  readonly tables: TokenTables;
  readonly writes: TokenWrites;
  readonly calls: WriteCalls;
  readonly clock: Clock;
}

/** Deletes all other items of a token, except its entries and its lock. */
const otherItems = ({ writes }: RemovalContext, token: UnprovenSummary): TransactWriteItem[] => [
  ...writes.removeParts(token),
  ...(token.cvcUntil === undefined ? [] : [writes.removeCvc(token)]),
];

const lockOf = ({ writes }: RemovalContext, token: UnprovenSummary) =>
  token.holdsLock ? writes.removeLock(token) : undefined;

async function clear(
  context: RemovalContext,
  { token, isLeaving, staleTerms = [] }: Parameters<TokenRemoval['clear']>[0],
): Promise<void> {
  const { calls, tables, writes } = context;
  // Entries of a create that has not been cancelled could still arrive after their removal.
  if (!isLeaving && (await conditionalWrite(tables, writes.cancel(token))) !== 'written') return;
  const condition = beingRemoved(token);
  const terms = [...new Set([...token.terms, ...staleTerms])];
  const entries = {
    guard: writes.check(token, condition),
    guardBytes: tokenBytes(token),
    writes: terms.map((term) => writes.removeEntry(token, term)),
    writeBytes: entryBytes(token),
  };
  // A token that never became visible has not used its id.
  const own = isLeaving
    ? writes.deletion(token, condition)
    : { Delete: { ...writes.key(token), ...condition } };
  // If a condition fails, another call has removed everything.
  await holds(async () => {
    await writeGuarded(tables, [entries]);
    await calls.transactReleasing(own, lockOf(context, token), otherItems(context, token));
  });
}

async function settle(
  { calls, writes, tables }: RemovalContext,
  { token, staleTerms = [], oldParts, changeId }: Parameters<TokenRemoval['settle']>[0],
): Promise<void> {
  const mine = new Set(token.terms);
  const condition = unsettled(token, changeId);
  const entries = {
    guard: writes.check(token, condition),
    guardBytes: tokenBytes(token),
    writes: staleTerms.map((term) =>
      mine.has(term) ? writes.entry(token, term) : writes.removeEntry(token, term),
    ),
    writeBytes: entryBytes(token),
  };
  if (!(await holds(() => writeGuarded(tables, [entries])))) return;
  // No condition is needed: the keys have the version, which never comes back.
  await Promise.all(writes.removeOldParts(token, oldParts).map((part) => calls.transact([part])));
  const due = dueAt(token.id, token.expiration?.at);
  const command = new UpdateCommand({
    ...writes.key(token),
    UpdateExpression:
      due.dueSk === undefined
        ? 'REMOVE staleTerms, oldParts, changeId, duePk, dueSk'
        : 'SET duePk = :duePk, dueSk = :dueSk REMOVE staleTerms, oldParts, changeId',
    ...condition,
    ExpressionAttributeValues: {
      ...condition.ExpressionAttributeValues,
      ...(due.dueSk && { ':duePk': due.duePk, ':dueSk': due.dueSk }),
    },
  });
  // If another write came first, that writer resolves the doubt.
  await conditionalWrite(tables, command);
}

/** Makes a token invisible; `false` if it has changed since it was read. */
async function hide({ tables, writes, clock }: RemovalContext, token: UnprovenSummary): Promise<boolean> {
  const outcome = await conditionalWrite(tables, writes.hide(token, clock()));
  if (outcome === 'written') return true;
  if (outcome.found === undefined || !outcome.mayBeOwn) return false;
  // An earlier attempt has hidden it, and its response was lost. A sweep may have removed the rest.
  if (isTombstone(outcome.found)) return true;
  const hidden = readTokenItem(outcome.found);
  return hidden.pending && hidden.token.writeId.equals(token.writeId);
}

/**
 * Claims the settlement of a visible token's stale terms; `undefined` if another writer was faster.
 * The claim is a new `changeId`, so that calls of the writer that announced the terms, and of a
 * slower settlement, do nothing from now on.
 */
async function claim(
  { clock, writes, tables }: RemovalContext,
  { token, dueSk = '', changeId }: ReadToken,
): Promise<Buffer | undefined> {
  const claimId = tables.platform.random.bytes(CLAIM_ID_BYTES);
  const condition = unsettled(token, changeId);
  const command = new UpdateCommand({
    ...writes.key(token),
    UpdateExpression: 'SET dueSk = :later, changeId = :claim',
    ...condition,
    ConditionExpression: `${condition.ConditionExpression} AND dueSk = :seen`,
    ExpressionAttributeValues: {
      ...condition.ExpressionAttributeValues,
      ':later': dueAt(token.id, clock() + UNFINISHED_MS).dueSk,
      ':claim': claimId,
      ':seen': dueSk,
    },
  });
  const outcome = await conditionalWrite(tables, command);
  if (outcome === 'written') return claimId;
  const { found, mayBeOwn } = outcome;
  if (!mayBeOwn || found === undefined || isTombstone(found)) return undefined;
  // An earlier attempt has claimed it, and its response was lost.
  return readTokenItem(found).changeId?.equals(claimId) === true ? claimId : undefined;
}

async function withdraw(context: RemovalContext, read: ReadToken): Promise<void> {
  const claimId = await claim(context, read);
  if (claimId !== undefined) await settle(context, { ...read, changeId: claimId });
}

/** Estimates the bytes of a token and of everything that a deletion removes with it. */
const removedBytes = (token: UnprovenSummary): number =>
  tokenBytes(token) + dataPartCount(token) * PART_BYTES + token.terms.length * entryBytes(token);

export function createTokenRemoval(tables: TokenTables, calls: WriteCalls, clock: Clock): TokenRemoval {
  const writes = tokenWrites(tables);
  const context = { tables, writes, calls, clock };

  return {
    clear: (value) => clear(context, value),
    settle: (value) => settle(context, value),
    withdraw: (value) => withdraw(context, value),

    async remove(token) {
      const entries = token.terms.map((term) => writes.removeEntry(token, term));
      const rest = [...otherItems(context, token), ...entries];
      if (fits(rest.length + 2, removedBytes(token))) {
        const own = writes.deletion(token, {
          ConditionExpression: UNCHANGED,
          ExpressionAttributeValues: unchangedValues(token),
        });
        return holds(() => calls.transactReleasing(own, lockOf(context, token), rest));
      }
      // A pending token is gone for every reader, so the rest may take time.
      if (!(await hide(context, token))) return false;
      await clear(context, { token, isLeaving: true });
      return true;
    },

    async repair(read) {
      if (!isAbandoned(read, clock())) return;
      if (read.pending) await clear(context, read);
      else await withdraw(context, read);
    },
  };
}
