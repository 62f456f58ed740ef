import * as z from 'zod/mini';
import type { Clock } from '../../core/shared/clock.ts';
import { defined } from '../../core/shared/defined.ts';
import { isOfSameRequest } from '../../core/shared/write-identity.ts';
import type { UnprovenToken } from '../../core/tokens/token.ts';
import type { WriteConflict } from '../../core/tokens/token-store.ts';
import { LOCK, lockTenant, parseTokenPartition } from './keys.ts';
import type { Item } from './table-client.ts';
import { createWriteIdIn, isAbandoned, isTombstone, readTokenItem, type ReadToken } from './token-item.ts';
import type { TokenReader } from './token-reader.ts';
import type { TokenRemoval } from './token-removal.ts';
import { failedCondition, failedConditions } from './transact.ts';

const lockItem = z.lazy(() => z.object({ pk: z.string(), tokenId: z.string() }));

/** The lock of a match hash, and the token that owns it. */
interface Lock {
  readonly tenantId: string;
  readonly tokenId: string;
}

/** Parses a lock; `undefined` for an item that is not a lock. */
function readLock(item: Item): Lock | undefined {
  if (item['sk'] !== LOCK) return undefined;
  const { pk, tokenId } = lockItem.parse(item);
  return { tenantId: lockTenant(pk), tokenId };
}

/** Maps a failed condition to a conflict, and removes leftovers of writers that died. */
export interface WriteConflicts {
  /**
   * Finds the conflict that made a create fail. `writeId` is that of one of its tokens. Throws the
   * error if no condition failed.
   */
  ofCreate(error: unknown, writeId: Buffer): Promise<WriteConflict>;
  /**
   * Finds the conflict that made an update fail; `written` if it found its own write. `next` is the
   * version to write. Throws the error if no condition failed.
   */
  ofUpdate(error: unknown, next: UnprovenToken): Promise<'written' | WriteConflict>;
}

/**
 * Whether an item is the version that an update wants to write. Writes that change no content
 * preserve the write id, so version and clear fields must be equal as well.
 */
export function isWritten({ token, pending }: ReadToken, next: UnprovenToken): boolean {
  const isSame =
    token.writeId.equals(next.writeId) &&
    token.version === next.version &&
    token.clearMac.equals(next.clearMac);
  return isSame && !pending;
}

export function createWriteConflicts(
  reader: TokenReader,
  removal: TokenRemoval,
  clock: Clock,
): WriteConflicts {
  /**
   * Removes an invisible token if its writer is dead, because its time limit is over or an earlier
   * attempt of this request wrote it.
   */
  async function clearPending(read: ReadToken, writeId: Buffer | undefined): Promise<'changed'> {
    const isOwn = writeId !== undefined && isOfSameRequest(read.token.writeId, writeId);
    if (isOwn || isAbandoned(read, clock())) await removal.clear(read);
    return 'changed';
  }

  /**
   * A lock points to a token. A pending token cannot be skipped, because its writer makes it
   * visible, or a sweep removes it.
   */
  async function ofLock({ tenantId, tokenId }: Lock, writeId?: Buffer): Promise<WriteConflict> {
    const read = await reader.findItem(tenantId, tokenId);
    return read?.pending === true ? clearPending(read, writeId) : { lockedBy: tokenId };
  }

  /** An id names one token for ever, so a token that has expired still has its id. */
  async function ofToken(item: Item, writeId: Buffer): Promise<WriteConflict> {
    const { id } = parseTokenPartition(String(item['pk']));
    const idTakenBy = defined({ id, writeId: createWriteIdIn(item) });
    if (isTombstone(item)) return { idTakenBy };
    const read = readTokenItem(item);
    return read.pending && !read.isLeaving ? clearPending(read, writeId) : { idTakenBy };
  }

  return {
    async ofCreate(error, writeId) {
      const [failed, ...others] = failedConditions(error);
      if (failed === undefined) throw error;
      // A dead attempt may have left more pending tokens than a create has attempts.
      await Promise.all(
        others.flatMap(({ item }) =>
          item === undefined || readLock(item) !== undefined ? [] : [ofToken(item, writeId)],
        ),
      );
      if (failed.item === undefined) return 'changed';
      const lock = readLock(failed.item);
      return lock === undefined ? ofToken(failed.item, writeId) : ofLock(lock, writeId);
    },

    async ofUpdate(error, next) {
      const failed = failedCondition(error);
      if (failed === undefined) throw error;
      if (failed.item === undefined) return 'changed';
      const lock = readLock(failed.item);
      if (lock !== undefined) return ofLock(lock);
      if (isTombstone(failed.item)) return 'changed';
      const read = readTokenItem(failed.item);
      // An earlier attempt has written it, and its response was lost. No write of the item may be
      // unfinished.
      if (isWritten(read, next) && (read.staleTerms ?? []).length === 0) return 'written';
      // The token has changed. Leftovers of a dead writer are completed, so that the next attempt
      // can pass.
      await removal.repair(read);
      return 'changed';
    },
  };
}
