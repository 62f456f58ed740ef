import type { Clock } from '../../core/shared/clock.ts';
import { hasExpired } from '../../core/tokens/expiration.ts';
import type { StoredToken } from '../../core/tokens/token.ts';
import type { WriteObstacle } from '../../core/tokens/token-store.ts';
import { isAbandoned, readTokenItem, type ReadToken } from './token-item.ts';
import type { TokenReader } from './token-reader.ts';
import type { TokenRemoval } from './token-removal.ts';
import { failedCondition, readLock, type Lock } from './write-obstacle.ts';

/** Finds out what stands in the way of a write, and clears away what nobody will miss. */
export interface TokenObstacles {
  /**
   * What an error of a create is about. `writeId` is the create's own. Throws the error if no
   * condition failed.
   */
  ofCreate(error: unknown, writeId: Buffer): Promise<WriteObstacle>;
  /**
   * What an error of an update is about; `written` if it met its own write. `next` is what it wants
   * to write. Throws the error if no condition failed.
   */
  ofUpdate(error: unknown, next: StoredToken): Promise<'written' | WriteObstacle>;
}

/**
 * Whether an item is what an update wants to write. What only seals a content anew keeps its write
 * id, so that alone says nothing: the version and the flags must be those of the update, and nobody
 * may be in the middle of changing it.
 */
function isWritten({ token, pending, staleTerms = [] }: ReadToken, next: StoredToken): boolean {
  const isSame =
    token.writeId.equals(next.writeId) &&
    token.version === next.version &&
    token.isShared === next.isShared &&
    token.isSolelyOwn === next.isSolelyOwn;
  return isSame && !pending && staleTerms.length === 0;
}

export function createTokenObstacles(
  reader: TokenReader,
  removal: TokenRemoval,
  clock: Clock,
): TokenObstacles {
  /**
   * Clears a token that is not visible if its writer is dead: its time is over, or it was an
   * attempt of the very request that asks.
   */
  async function clearPending(read: ReadToken, writeId: Buffer | undefined): Promise<'changed'> {
    const isOwn = writeId !== undefined && read.token.writeId.equals(writeId);
    if (isOwn || isAbandoned(read, clock())) await removal.clear(read);
    return 'changed';
  }

  /**
   * A lock stands for a token. One that is still on its way in may not be passed over: the writer
   * will show it, or a sweep clear it.
   */
  async function ofLock({ tenantId, tokenId }: Lock, writeId?: Buffer): Promise<WriteObstacle> {
    const read = await reader.findItem(tenantId, tokenId);
    return read?.pending === true ? clearPending(read, writeId) : { lockedBy: tokenId };
  }

  async function ofToken(read: ReadToken, writeId: Buffer): Promise<WriteObstacle> {
    if (read.pending) return clearPending(read, writeId);
    const { token } = read;
    const taken = (await reader.tokenOf(read)) ?? (await reader.find(token.tenantId, token.id));
    if (taken !== undefined) return { taken };
    // Expired, with data that DynamoDB's own expiry has taken already.
    if (hasExpired(token, clock())) await removal.remove(token);
    return 'changed';
  }

  return {
    async ofCreate(error, writeId) {
      const failed = failedCondition(error);
      if (failed === undefined) throw error;
      if (failed.item === undefined) return 'changed';
      const lock = readLock(failed.item);
      return lock === undefined ? ofToken(readTokenItem(failed.item), writeId) : ofLock(lock, writeId);
    },

    async ofUpdate(error, next) {
      const failed = failedCondition(error);
      if (failed === undefined) throw error;
      if (failed.item === undefined) return 'changed';
      const lock = readLock(failed.item);
      if (lock !== undefined) return ofLock(lock);
      const read = readTokenItem(failed.item);
      // An earlier attempt has written it, and its response was lost.
      if (isWritten(read, next)) return 'written';
      // The token has changed. What a dead writer left on it is settled, so that the next attempt
      // can pass.
      await removal.repair(read);
      return 'changed';
    },
  };
}
