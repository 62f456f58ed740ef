import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type TransactWriteItem, send } from './table-client.ts';
import type { Clock } from '../../core/shared/clock.ts';
import type { UnprovenToken } from '../../core/tokens/token.ts';
import type { UnprovenTokenStore, TokenWrite } from '../../core/tokens/token-store.ts';
import { dueAt, isTombstone, readTokenItem } from './token-item.ts';
import { isWritten, type WriteConflicts } from './write-conflicts.ts';
import { dataPartCount, summaryOf } from './token-parts.ts';
import type { TokenRemoval } from './token-removal.ts';
import type { TokenTables } from './token-tables.ts';
import {
  tokenWrites,
  UNCHANGED,
  unchangedValues,
  UNFINISHED_MS,
  unsettled,
  type TokenWrites,
} from './token-writes.ts';
import type { WriteCalls } from './write-calls.ts';
import { writeGuarded } from './guarded-writes.ts';
import { failedCondition } from './transact.ts';
import { entryBytes, fits, tokenBytes } from './transaction-size.ts';

/** Terms whose entries must be written, and terms whose entries must be deleted. */
interface EntryChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Compares what an index entry has of a token. */
const shownBy = ({ type, containers, expiration, hasMask }: UnprovenToken) =>
  JSON.stringify([type, containers, expiration?.at, expiration?.offsetMinutes, hasMask]);

/** Rewrites the entries whose attributes have changed. */
function entryChanges(previous: UnprovenToken, next: UnprovenToken): EntryChanges {
  const isSame = shownBy(previous) === shownBy(next);
  const before = new Set(previous.terms);
  const after = new Set(next.terms);
  return {
    added: next.terms.filter((term) => !isSame || !before.has(term)),
    removed: previous.terms.filter((term) => !after.has(term)),
  };
}

interface UpdateContext {
  readonly tables: TokenTables;
  readonly writes: TokenWrites;
  readonly calls: WriteCalls;
  readonly removal: TokenRemoval;
  readonly clock: Clock;
}

/**
 * The lock that the token releases, and the one that it takes. An unchanged lock is rewritten if
 * its expiry changes.
 */
function lockChanges({ writes }: UpdateContext, previous: UnprovenToken, write: TokenWrite) {
  const next = write.token;
  const isSame = previous.holdsLock && next.holdsLock && previous.matchHash === next.matchHash;
  const lives = previous.expiration?.at === next.expiration?.at;
  return {
    released: previous.holdsLock && !isSame ? writes.removeLock(previous) : undefined,
    taken: next.holdsLock && !(isSame && lives) ? [writes.lock(write)] : [],
  };
}

/** The other items that a changed token writes, besides its own and its entries. */
function companions(
  { writes }: UpdateContext,
  { token, cvc }: TokenWrite,
  taken: readonly TransactWriteItem[],
): TransactWriteItem[] {
  return [
    ...writes.parts(token),
    ...(cvc === undefined ? [] : [cvc === 'removed' ? writes.removeCvc(token) : writes.cvc(token, cvc)]),
    ...taken,
  ];
}

interface Announcement {
  readonly staleTerms: readonly string[];
  /** The writer whose entries they are. */
  readonly changeId: Buffer;
  /** Others may settle them from this time on, in ms since the epoch. */
  readonly until: number;
}

/** Names the doubtful entries on the token. An earlier attempt of this request may have done so. */
async function announce(
  { writes, tables: { client, platform } }: UpdateContext,
  previous: UnprovenToken,
  next: UnprovenToken,
  { until, staleTerms, changeId }: Announcement,
) {
  const { duePk, dueSk } = dueAt(next.id, until);
  const command = new UpdateCommand({
    ...writes.key(next),
    UpdateExpression: 'SET staleTerms = :staleTerms, changeId = :changeId, duePk = :duePk, dueSk = :dueSk',
    ConditionExpression: `(${UNCHANGED}) OR (version = :version AND writeId = :writeId AND changeId = :changeId)`,
    ExpressionAttributeValues: {
      ...unchangedValues(previous),
      ':staleTerms': staleTerms,
      ':changeId': changeId,
      ':duePk': duePk,
      ':dueSk': dueSk,
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  await send(platform, () => client.send(command));
}

/** Whether a failed condition found the version that the update wants to write. */
function isOwnVersion(error: unknown, next: UnprovenToken): boolean {
  const failed = failedCondition(error);
  if (failed?.index !== 0 || failed.item === undefined || isTombstone(failed.item)) return false;
  return isWritten(readTokenItem(failed.item), next);
}

async function inSteps(
  context: UpdateContext,
  previous: UnprovenToken,
  token: UnprovenToken,
  { added, removed }: EntryChanges,
  { released, others }: { released: TransactWriteItem | undefined; others: readonly TransactWriteItem[] },
): Promise<void> {
  const { clock, calls, writes, removal, tables } = context;
  const until = clock() + UNFINISHED_MS;
  const staleTerms = [...added, ...removed];
  // Re-encryption and sharing preserve the write id, so it does not tell their writers apart.
  const changeId = token.writeId.equals(previous.writeId)
    ? tables.platform.random.bytes(token.writeId.length)
    : token.writeId;
  await announce(context, previous, token, { staleTerms, changeId, until });
  const announced = unsettled(previous, changeId);
  await writeGuarded(tables, [
    {
      guard: writes.check(token, announced),
      guardBytes: tokenBytes(summaryOf(previous)),
      writes: added.map((term) => writes.entry(token, term)),
      writeBytes: entryBytes(token),
    },
  ]);
  const left = { staleTerms: removed, oldParts: dataPartCount(summaryOf(previous)) };
  const isDone = removed.length === 0 && left.oldParts === 0;
  const unfinished = isDone ? undefined : { until, ...left };
  const { ConditionExpression: condition, ExpressionAttributeValues: values } = announced;
  try {
    await calls.transactReleasing(
      { Put: writes.token(token, condition, values, unfinished) },
      released,
      others,
    );
  } catch (error) {
    // A lock prevented the write, and the token is unchanged. If the token itself has changed,
    // another writer has resolved the doubt.
    if ((failedCondition(error)?.index ?? 0) > 0) {
      const { dueSk } = dueAt(token.id, until);
      const read = { token: summaryOf(previous), pending: false, isLeaving: false, oldParts: 0 };
      await removal.withdraw({ ...read, staleTerms, changeId, dueSk });
    }
    // An earlier attempt has written it, and its response was lost.
    if (!isOwnVersion(error, token)) throw error;
  }
  if (!isDone) await removal.settle({ token: summaryOf(token), ...left });
}

/**
 * Updates a token in one transaction, or in steps if it does not fit. `staleTerms` exclude other
 * writers until the last step (docs/storage.md#writes-of-several-steps).
 */
export function createTokenUpdate(
  tables: TokenTables,
  calls: WriteCalls,
  removal: TokenRemoval,
  conflicts: WriteConflicts,
  clock: Clock,
): UnprovenTokenStore['update'] {
  const writes = tokenWrites(tables);
  const context = { tables, writes, calls, removal, clock };

  return async (previous, write) => {
    const { token } = write;
    const changes = entryChanges(previous, token);
    const { released, taken } = lockChanges(context, previous, write);
    const others = companions(context, write, taken);
    const rest = [
      ...others,
      ...writes.removeParts(summaryOf(previous)),
      ...changes.added.map((term) => writes.entry(token, term)),
      ...changes.removed.map((term) => writes.removeEntry(token, term)),
    ];
    // Deletes count as well.
    const entries = changes.added.length + changes.removed.length;
    const bytes =
      tokenBytes(previous) + tokenBytes(token) + entries * Math.max(entryBytes(previous), entryBytes(token));
    try {
      if (!fits(rest.length + 2, bytes))
        await inSteps(context, previous, token, changes, { released, others });
      else
        await calls.transactReleasing(
          { Put: writes.token(token, UNCHANGED, unchangedValues(previous)) },
          released,
          rest,
        );
      return 'written';
    } catch (error) {
      return conflicts.ofUpdate(error, token);
    }
  };
}
