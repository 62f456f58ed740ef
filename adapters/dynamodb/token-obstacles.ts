import type { Clock } from '../../core/shared/clock.ts';
import type { StoredToken } from '../../core/tokens/token.ts';
import type { WriteObstacle } from '../../core/tokens/token-store.ts';
import { lockTenant } from './keys.ts';
import type { Item } from './table-client.ts';
import { readTokenItem, type ReadToken } from './token-item.ts';
import type { TokenReader } from './token-reader.ts';
import type { TokenRemoval } from './token-removal.ts';
import { failedCondition, lockHolderIn } from './write-obstacle.ts';

/** Finds out what stands in the way of a write, and clears away what nobody will miss. */
export interface TokenObstacles {
  /** What an error of a create is about. `writeId` is the create's own. Throws the error if no condition failed. */
  ofCreate(error: unknown, writeId: Buffer): Promise<WriteObstacle>;
  /** What an error of an update is about; `written` if it met its own write. `next` is what it wants to write. Throws the error if no condition failed. */
  ofUpdate(error: unknown, next: StoredToken): Promise<'written' | WriteObstacle>;
}

/**
 * Whether an item is what an update wants to write. What only seals a content anew keeps its write id, so that alone says nothing: the
 * version and the flags must be those of the update, and nobody may be in the middle of changing it.
 */
function isWritten({ token, pending, stale }: ReadToken, next: StoredToken): boolean {
  const isSame =
    token.writeId.equals(next.writeId) &&
    token.version === next.version &&
    token.isShared === next.isShared &&
    token.isSolelyOwn === next.isSolelyOwn;
  return isSame && !pending && stale.length === 0;
}

export function createTokenObstacles(
  reader: TokenReader,
  removal: TokenRemoval,
  clock: Clock,
): TokenObstacles {
  /** Clears a token that is not visible if its writer is dead: its time is over, or it was an attempt of the very request that asks. */
  async function clearPending(item: Item, writeId: Buffer | undefined): Promise<'changed'> {
    const read = readTokenItem(item);
    const isOwn = writeId !== undefined && read.token.writeId.equals(writeId);
    if (isOwn || read.isAbandoned(clock())) await removal.clear(read);
    return 'changed';
  }

  /** A lock stands for a token. One that is still on its way in may not be passed over: the writer will show it, or a sweep clear it. */
  async function ofLock(lock: Item, holder: string, writeId?: Buffer): Promise<WriteObstacle> {
    const item = await reader.findItem(lockTenant(lock['pk']?.S ?? ''), holder);
    if (item !== undefined && readTokenItem(item).pending) return clearPending(item, writeId);
    return { lockedBy: holder };
  }

  async function ofToken(item: Item, writeId: Buffer): Promise<WriteObstacle> {
    const read = readTokenItem(item);
    if (read.pending) return clearPending(item, writeId);
    const { tenantId, id, expiration } = read.token;
    const taken = (await reader.tokenOf(item)) ?? (await reader.find(tenantId, id));
    if (taken !== undefined) return { taken };
    // Expired, with data that DynamoDB's own expiry has taken already.
    if (expiration !== undefined && expiration.at <= clock()) await removal.remove(read);
    return 'changed';
  }

  return {
    async ofCreate(error, writeId) {
      const failed = failedCondition(error);
      if (failed === undefined) throw error;
      if (failed.item === undefined) return 'changed';
      const holder = lockHolderIn(failed.item);
      return holder === undefined ? ofToken(failed.item, writeId) : ofLock(failed.item, holder, writeId);
    },

    async ofUpdate(error, next) {
      const failed = failedCondition(error);
      if (failed === undefined) throw error;
      if (failed.item === undefined) return 'changed';
      const holder = lockHolderIn(failed.item);
      if (holder !== undefined) return ofLock(failed.item, holder);
      // An earlier attempt has written it, and its response was lost.
      if (isWritten(readTokenItem(failed.item), next)) return 'written';
      // The token has changed. What a dead writer left on it is settled, so that the next attempt can pass.
      await removal.repair(failed.item);
      return 'changed';
    },
  };
}
