import type { PortEffects } from '../audit/effect.ts';
import type { StoredToken, TokenSummary } from './token.ts';

/** An encrypted cvc, stored in the table without backups. `until` in ms since the epoch. */
export interface StoredCvc {
  readonly encryptedCvc: Buffer;
  readonly until: number;
}

/** A token and everything that is written with it, atomically. */
export interface TokenWrite {
  readonly token: StoredToken;
  /** A new cvc; `removed` deletes the old one; absent leaves it unchanged. */
  readonly cvc?: StoredCvc | 'removed';
  /**
   * Id of the token that holds the lock, if it is deleted or no longer matches: the new token may
   * take the lock over. Only for a token with `holdsLock`.
   */
  readonly lockOf?: string;
}

/** Why a write failed; nothing was written. */
export type WriteConflict =
  /**
   * A token with this id exists, or existed: then it has no `writeId`. It may be this very token,
   * if the response to an earlier attempt was lost: compare its `writeId`.
   */
  | { readonly idTakenBy: Pick<StoredToken, 'id'> & Partial<Pick<StoredToken, 'writeId'>> }
  /** Another token holds the lock of the match hash. */
  | { readonly lockedBy: string }
  /** The token has changed, or was deleted, since it was read. */
  | 'changed';

/** The fields that an index entry has of a token, before the token is read. */
export interface TokenCandidate extends Pick<
  StoredToken,
  'id' | 'position' | 'type' | 'containers' | 'expiration'
> {
  /** Whether the token has a mask; absent for an entry of the list of all tokens. */
  readonly hasMask?: boolean;
}

/** The common terms (hashes) or the fingerprint of all candidates. */
export interface CandidateQuery {
  readonly terms: readonly string[];
  readonly fingerprint?: string;
  /** Only candidates older than this position. */
  readonly after?: string;
  /** About how many candidates the caller will consume, so that the store reads few more. */
  readonly expected: number;
  /**
   * Called before anything else is done with an entry: a token that the caller may not see costs as
   * little as a missing one.
   */
  readonly isVisible?: (candidate: TokenCandidate) => boolean;
}

/**
 * Where tokens are stored. An id names one token for ever: a deleted token leaves a tombstone in
 * its place, unless the service made the id (`service-id.ts`), which no caller can choose. Every
 * call rejects with `dependency_unavailable` when the store is down, or still throttles after
 * retries.
 */
export interface TokenStore {
  /**
   * Writes new tokens with everything that belongs to them: all become visible together, or none.
   * An attempt that dies leaves nothing visible, and nothing that a sweep does not remove.
   */
  create(tokens: readonly TokenWrite[]): Promise<'written' | WriteConflict>;
  /** Replaces the version `previous`, from which `next` was made. */
  update(previous: StoredToken, next: TokenWrite): Promise<'written' | WriteConflict>;
  /** The token as last written, or `undefined`. The caller checks the expiration. */
  find(tenantId: string, id: string): Promise<StoredToken | undefined>;
  /** Those of the tokens that exist, in any order, read in as few calls as possible. */
  findMany(tenantId: string, ids: readonly string[]): Promise<readonly StoredToken[]>;
  /** The cvcs of those cards that have one, by token id; the caller checks when they end. */
  findCvcs(tenantId: string, ids: readonly string[]): Promise<ReadonlyMap<string, StoredCvc>>;
  /** {@link findMany} without data that is in separate items. */
  findSummaries(tenantId: string, ids: readonly string[]): Promise<readonly TokenSummary[]>;
  /**
   * The tokens of summaries with all of their data. A token that has changed since is read again;
   * one that was deleted is left out.
   */
  readData(summaries: readonly TokenSummary[]): Promise<readonly StoredToken[]>;
  /**
   * Summaries with a match hash, not expiring before `expiration` (without it: never), by
   * expiration and age, earliest first. The newest may be missing; read a token again to rely on
   * it.
   */
  findMatches(
    wanted: Pick<StoredToken, 'tenantId' | 'fingerprint' | 'matchHash' | 'expiration'>,
  ): AsyncIterable<readonly TokenSummary[]>;
  /**
   * Candidates, newest first, in batches. A candidate may have been changed or deleted since its
   * entry was written; the caller must read the token again.
   */
  candidates(tenantId: string, wanted: CandidateQuery): AsyncIterable<readonly TokenCandidate[]>;
  /**
   * Deletes a token in one call if it has not expired at `now` and nothing else belongs to it.
   * Otherwise changes nothing and returns it, if any.
   */
  deleteIfStandalone(
    tenantId: string,
    id: string,
    now: number,
  ): Promise<'deleted' | { readonly remaining: StoredToken | undefined }>;
  /**
   * Deletes this version of a token and everything that belongs to it; `false` if the token has
   * changed since.
   */
  deleteVersion(token: StoredToken): Promise<boolean>;
  /**
   * Deletes up to `count` of the tombstones that remember which ids of a tenant a caller chose for
   * tokens that are gone, and returns their number. Only for a tenant that is being destroyed.
   */
  deleteTombstones(tenantId: string, count: number): Promise<number>;
}

export const TOKEN_STORE_EFFECTS: PortEffects<TokenStore> = {
  create: (writes) => ({ tokens: writes.map(({ token }) => token), form: 'create' }),
  // If it is now marked as shared, the caller received it as a duplicate.
  update: (previous, { token }) => ({
    tokens: [{ id: token.id, containers: [...new Set([...previous.containers, ...token.containers])] }],
    form: previous.isShared === token.isShared ? 'update' : 'identity',
  }),
  deleteIfStandalone: (_tenantId, id) => ({ tokens: [{ id }], form: 'delete' }),
  deleteVersion: (token) => ({ tokens: [token], form: 'delete' }),
  deleteTombstones: () => ({ tokens: [], form: 'delete' }),
  find: 'finds',
  findMany: 'finds',
  findSummaries: 'finds',
  findCvcs: 'none',
  findMatches: 'none',
  readData: 'none',
  candidates: 'none',
};
