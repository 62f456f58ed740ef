import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { TransactWriteItem } from './table-client.ts';
import type { Clock } from '../../core/shared/clock.ts';
import type { TokenSummary } from '../../core/tokens/token.ts';
import { dueAt, isAbandoned, readTokenItem, type ReadToken } from './token-item.ts';
import type { TokenTables } from './token-tables.ts';
import { tokenWrites, UNCHANGED, unchangedValues, UNFINISHED_MS, type TokenWrites } from './token-writes.ts';
import { TRANSACTION_WRITES, type WriteCalls } from './write-calls.ts';
import { conditionalWrite } from './conditional-write.ts';
import { failedCondition } from './transact.ts';

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
  remove(token: TokenSummary): Promise<boolean>;
  /**
   * Deletes all items of an invisible token. Does nothing if it has become visible or belongs to
   * another write.
   */
  clear(read: Pick<ReadToken, 'token' | 'isLeaving' | 'staleTerms'>): Promise<void>;
  /**
   * Deletes the entries of stale terms and the data of the previous version, and clears the two
   * attributes that list them.
   */
  settle(read: Pick<ReadToken, 'token' | 'staleTerms' | 'oldParts'>): Promise<void>;
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

/** What the steps of a removal have in common. */
interface RemovalContext {
  readonly tables: TokenTables;
  readonly writes: TokenWrites;
  readonly calls: WriteCalls;
  readonly clock: Clock;
}

/** Deletes all other items of a token, except its entries and its lock. */
const otherItems = ({ writes }: RemovalContext, token: TokenSummary): TransactWriteItem[] => [
  ...writes.removeParts(token),
  ...(token.cvcUntil === undefined ? [] : [writes.removeCvc(token)]),
];

const lockOf = ({ writes }: RemovalContext, token: TokenSummary) =>
  token.holdsLock ? writes.removeLock(token) : undefined;

async function clear(
  context: RemovalContext,
  { token, isLeaving, staleTerms = [] }: Parameters<TokenRemoval['clear']>[0],
): Promise<void> {
  const { calls, writes } = context;
  const terms = [...new Set([...token.terms, ...staleTerms])];
  await calls.writeAll(terms.map((term) => writes.removeEntry(token, term)));
  const pending = 'attribute_not_exists(pk) OR (writeId = :writeId AND attribute_exists(pending))';
  const condition = {
    ConditionExpression: isLeaving ? `${pending} OR attribute_exists(isGone)` : pending,
    ExpressionAttributeValues: { ':writeId': token.writeId },
  };
  // A token that never became visible has not used its id.
  const own = isLeaving
    ? writes.deletion(token, condition)
    : { Delete: { ...writes.key(token), ...condition } };
  await holds(() => calls.transactReleasing(own, lockOf(context, token), otherItems(context, token)));
}

async function settle(
  { calls, writes, tables }: RemovalContext,
  { token, staleTerms = [], oldParts }: Parameters<TokenRemoval['settle']>[0],
): Promise<void> {
  const mine = new Set(token.terms);
  await calls.writeAll([
    ...staleTerms.map((term) =>
      mine.has(term) ? writes.entry(token, term) : writes.removeEntry(token, term),
    ),
    ...writes.removeOldParts(token, oldParts),
  ]);
  const due = dueAt(token.id, token.expiration?.at);
  const command = new UpdateCommand({
    ...writes.key(token),
    UpdateExpression:
      due.dueSk === undefined
        ? 'REMOVE staleTerms, oldParts, changeId, duePk, dueSk'
        : 'SET duePk = :duePk, dueSk = :dueSk REMOVE staleTerms, oldParts, changeId',
    ConditionExpression: 'version = :version AND writeId = :writeId',
    ExpressionAttributeValues: {
      ...unchangedValues(token),
      ...(due.dueSk && { ':duePk': due.duePk, ':dueSk': due.dueSk }),
    },
  });
  // If another write came first, that writer resolves the doubt.
  await conditionalWrite(tables, command);
}

/** Makes a token invisible; `false` if it has changed since it was read. */
async function hide({ tables, writes, clock }: RemovalContext, token: TokenSummary): Promise<boolean> {
  const outcome = await conditionalWrite(tables, writes.hide(token, clock()));
  if (outcome === 'written') return true;
  if (outcome.found === undefined || !outcome.mayBeOwn) return false;
  // An earlier attempt has hidden it, and its response was lost.
  const hidden = readTokenItem(outcome.found);
  return hidden.pending && hidden.token.writeId.equals(token.writeId);
}

/**
 * Claims the repair of a visible token. Of two concurrent repairs, the slower one could undo what a
 * new writer does after the faster one.
 */
async function claimRepair(
  { clock, writes, tables }: RemovalContext,
  { token, dueSk }: ReadToken,
): Promise<boolean> {
  const due = dueAt(token.id, clock() + UNFINISHED_MS);
  const command = new UpdateCommand({
    ...writes.key(token),
    UpdateExpression: 'SET dueSk = :later',
    ConditionExpression: 'writeId = :writeId AND dueSk = :seen',
    ExpressionAttributeValues: {
      ':later': due.dueSk,
      ':writeId': token.writeId,
      ':seen': dueSk ?? '',
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  const outcome = await conditionalWrite(tables, command);
  // An earlier attempt has claimed it, and its response was lost.
  return outcome === 'written' || (outcome.mayBeOwn && outcome.found?.['dueSk'] === due.dueSk);
}

export function createTokenRemoval(tables: TokenTables, calls: WriteCalls, clock: Clock): TokenRemoval {
  const writes = tokenWrites(tables);
  const context = { tables, writes, calls, clock };

  return {
    clear: (value) => clear(context, value),
    settle: (value) => settle(context, value),

    async remove(token) {
      const entries = token.terms.map((term) => writes.removeEntry(token, term));
      const rest = [...otherItems(context, token), ...entries];
      if (rest.length + 2 <= TRANSACTION_WRITES) {
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
      else if (await claimRepair(context, read)) await settle(context, read);
    },
  };
}
