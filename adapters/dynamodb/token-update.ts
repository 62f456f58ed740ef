import { UpdateItemCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../core/shared/clock.ts';
import type { StoredToken } from '../../core/tokens/token.ts';
import type { TokenStore, TokenWrite } from '../../core/tokens/token-store.ts';
import { send, toItem } from './table-client.ts';
import { dueAt } from './token-item.ts';
import type { TokenObstacles } from './token-obstacles.ts';
import type { TokenRemoval } from './token-removal.ts';
import type { TokenTables } from './token-tables.ts';
import { tokenWrites, UNCHANGED, unchangedValues, UNFINISHED_MS } from './token-writes.ts';
import { TRANSACTION_WRITES, type WriteCalls } from './write-calls.ts';
import { failedCondition } from './write-obstacle.ts';

/** Terms whose entries must be written, and those whose entries must go. */
interface EntryChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** What an index entry shows of a token. */
const shownBy = ({ type, containers, expiration }: StoredToken) =>
  JSON.stringify([type, containers, expiration?.at]);

/** Entries that show what has changed are written anew. */
function entryChanges(previous: StoredToken, next: StoredToken): EntryChanges {
  const isSame = shownBy(previous) === shownBy(next);
  const [before, after] = [new Set(previous.terms), new Set(next.terms)];
  return {
    added: next.terms.filter((term) => !isSame || !before.has(term)),
    removed: previous.terms.filter((term) => !after.has(term)),
  };
}

/**
 * Changes tokens. What fits a transaction is one. More entries than that go in steps: they are named on the token as `stale`, which keeps
 * other writers away, then written; the token changes; what it no longer has is removed. A due time lets the sweep settle what a dead writer left.
 */
export function createTokenUpdate(
  tables: TokenTables,
  calls: WriteCalls,
  removal: TokenRemoval,
  obstacles: TokenObstacles,
  clock: Clock,
): TokenStore['update'] {
  const { client } = tables;
  const writes = tokenWrites(tables);

  /** The lock that the token gives back, and the one that it takes; a lock that stays is written anew if it must live longer or shorter. */
  function lockChanges(previous: StoredToken, write: TokenWrite) {
    const next = write.token;
    const isSame = previous.holdsLock && next.holdsLock && previous.fingerprint === next.fingerprint;
    const lives = previous.expiration?.at === next.expiration?.at;
    return {
      given: previous.holdsLock && !isSame ? writes.removeLock(previous) : undefined,
      taken: next.holdsLock && !(isSame && lives) ? [writes.lock(write)] : [],
    };
  }

  /** Everything of a changed token beside its own item, its entries and the lock that it gives back. */
  function companions(
    previous: StoredToken,
    { token, cvc }: TokenWrite,
    taken: readonly TransactWriteItem[],
  ) {
    return [
      ...writes.chunks(token),
      ...writes.removeChunks(previous),
      ...(cvc === undefined ? [] : [cvc === 'removed' ? writes.removeCvc(token) : writes.cvc(token, cvc)]),
      ...taken,
    ];
  }

  /** Names the entries in doubt on the token. An earlier attempt of the same request may have done so before. */
  async function announce(previous: StoredToken, next: StoredToken, until: number, stale: readonly string[]) {
    const { duePk, dueSk } = dueAt(next.id, until);
    const command = new UpdateItemCommand({
      ...writes.key(next),
      UpdateExpression: 'SET stale = :stale, changeId = :changeId, duePk = :duePk, dueSk = :dueSk',
      ConditionExpression: `(${UNCHANGED}) OR (version = :version AND writeId = :writeId AND changeId = :changeId)`,
      ExpressionAttributeValues: toItem({
        ...unchangedValues(previous),
        ':stale': stale,
        ':changeId': next.writeId,
        ':duePk': duePk,
        ':dueSk': dueSk,
      }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    await send(() => client.send(command));
  }

  async function inSteps(
    previous: StoredToken,
    token: StoredToken,
    { added, removed }: EntryChanges,
    { given, others }: { given: TransactWriteItem | undefined; others: readonly TransactWriteItem[] },
  ): Promise<void> {
    const until = clock() + UNFINISHED_MS;
    const stale = [...added, ...removed];
    await announce(previous, token, until, stale);
    await calls.writeAll(added.map((term) => writes.entry(token, term)));
    const unfinished = removed.length === 0 ? undefined : { until, pending: false, stale: removed };
    const mine = 'version = :version AND writeId = :writeId AND changeId = :changeId';
    const values = { ...unchangedValues(previous), ':changeId': token.writeId };
    try {
      await calls.transactReleasing({ Put: writes.token(token, mine, values, unfinished) }, given, others);
    } catch (error) {
      // A lock was in the way: the token stays as it was. If it is the token itself, somebody else has settled it.
      if ((failedCondition(error)?.index ?? 0) > 0) await removal.settle(previous, stale);
      throw error;
    }
    if (removed.length > 0) await removal.settle(token, removed);
  }

  return async (previous, write) => {
    const { token } = write;
    const changes = entryChanges(previous, token);
    const { given, taken } = lockChanges(previous, write);
    const others = companions(previous, write, taken);
    const count = changes.added.length + changes.removed.length + others.length + 2;
    try {
      if (count > TRANSACTION_WRITES) await inSteps(previous, token, changes, { given, others });
      else
        await calls.transactReleasing(
          { Put: writes.token(token, UNCHANGED, unchangedValues(previous)) },
          given,
          [
            ...others,
            ...changes.added.map((term) => writes.entry(token, term)),
            ...changes.removed.map((term) => writes.removeEntry(token, term)),
          ],
        );
      return 'written';
    } catch (error) {
      return obstacles.ofUpdate(error);
    }
  };
}
