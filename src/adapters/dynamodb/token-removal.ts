import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { TransactWriteItem } from './table-client.ts';
import type { Clock } from '../../core/shared/clock.ts';
import type { TokenHead } from '../../core/tokens/token.ts';
import { dueAt, isAbandoned, readTokenItem, type ReadToken } from './token-item.ts';
import type { TokenTables } from './token-tables.ts';
import { tokenWrites, UNCHANGED, unchangedValues, UNFINISHED_MS } from './token-writes.ts';
import { TRANSACTION_WRITES, type WriteCalls } from './write-calls.ts';
import { writeIf } from './write-if.ts';
import { failedCondition } from './write-obstacle.ts';

/**
 * The condition that a token is all that has to go when it is deleted, and that nobody is in the
 * middle of writing it; with its values.
 */
export const STANDS_ALONE = {
  condition: [
    'attribute_exists(sealedData)',
    'size(terms) = :none',
    'holdsLock = :no',
    ...['cvcUntil', 'pending', 'staleTerms'].map((attribute) => `attribute_not_exists(${attribute})`),
  ].join(' AND '),
  values: { ':none': 0, ':no': false },
} as const;

/** Takes tokens away, and what writers of several steps have left behind. */
export interface TokenRemoval {
  /**
   * Deletes this version of a token with everything that belongs to it; `false` if it has changed
   * since.
   */
  remove(token: TokenHead): Promise<boolean>;
  /**
   * Removes every item of a token that is not visible; does nothing if it is visible by now, or
   * another's.
   */
  clear(read: Pick<ReadToken, 'token' | 'staleTerms'>): Promise<void>;
  /**
   * Corrects the entries of stale terms, removes data of the version before, and clears both marks.
   */
  settle(read: Pick<ReadToken, 'token' | 'staleTerms' | 'oldParts'>): Promise<void>;
  /**
   * Finishes or clears away what a write of several steps has left behind; does nothing while that
   * may still be under way.
   */
  repair(read: ReadToken): Promise<void>;
}

/** Runs a write whose condition may fail; answers whether it held. */
async function holds(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (failedCondition(error) === undefined) throw error;
    return false;
  }
}

export function createTokenRemoval(tables: TokenTables, calls: WriteCalls, clock: Clock): TokenRemoval {
  const { client } = tables;
  const writes = tokenWrites(tables);

  const deletion = (
    token: TokenHead,
    condition: string,
    values: Readonly<Record<string, unknown>>,
  ): TransactWriteItem => ({
    Delete: {
      ...writes.key(token),
      ConditionExpression: condition,
      ExpressionAttributeValues: values,
    },
  });

  /** What stands beside a token, but for its entries and its lock. */
  const beside = (token: TokenHead): TransactWriteItem[] => [
    ...writes.removeParts(token),
    ...(token.cvcUntil === undefined ? [] : [writes.removeCvc(token)]),
  ];

  const lockOf = (token: TokenHead) => (token.holdsLock ? writes.removeLock(token) : undefined);

  async function clear({ token, staleTerms = [] }: Parameters<TokenRemoval['clear']>[0]): Promise<void> {
    const terms = [...new Set([...token.terms, ...staleTerms])];
    await calls.writeAll(terms.map((term) => writes.removeEntry(token, term)));
    const pending = 'attribute_not_exists(pk) OR (writeId = :writeId AND attribute_exists(pending))';
    const own = deletion(token, pending, { ':writeId': token.writeId });
    await holds(() => calls.transactReleasing(own, lockOf(token), beside(token)));
  }

  async function settle({
    token,
    staleTerms = [],
    oldParts,
  }: Parameters<TokenRemoval['settle']>[0]): Promise<void> {
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
    // If another write came first, the doubt is its business.
    await writeIf(client, command);
  }

  /** Takes a token out of sight; `false` if it has changed since it was read. */
  async function hide(token: TokenHead): Promise<boolean> {
    const outcome = await writeIf(client, writes.hide(token, clock()));
    if (outcome === 'written') return true;
    if (outcome.found === undefined || !outcome.mayBeOwn) return false;
    // An earlier attempt has hidden it, and its response was lost.
    const hidden = readTokenItem(outcome.found);
    return hidden.pending && hidden.token.writeId.equals(token.writeId);
  }

  /**
   * Takes on the repair of a visible token: of two at once, the slower one could undo what a new
   * writer does after the quicker one.
   */
  async function claimRepair({ token, dueSk }: ReadToken): Promise<boolean> {
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
    const outcome = await writeIf(client, command);
    // An earlier attempt has claimed it, and its response was lost.
    return outcome === 'written' || (outcome.mayBeOwn && outcome.found?.['dueSk'] === due.dueSk);
  }

  return {
    clear,
    settle,

    async remove(token) {
      const entries = token.terms.map((term) => writes.removeEntry(token, term));
      const rest = [...beside(token), ...entries];
      if (rest.length + 2 <= TRANSACTION_WRITES) {
        const own = deletion(token, UNCHANGED, unchangedValues(token));
        return holds(() => calls.transactReleasing(own, lockOf(token), rest));
      }
      // From the moment that it is pending it is gone for everybody; the rest can take its time.
      if (!(await hide(token))) return false;
      await clear({ token });
      return true;
    },

    async repair(read) {
      if (!isAbandoned(read, clock())) return;
      if (read.pending) await clear(read);
      else if (await claimRepair(read)) await settle(read);
    },
  };
}
