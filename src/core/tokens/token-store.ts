import type { Container } from '../shared/container.ts';
import type { StoredToken, TokenHead } from './token.ts';

/** A sealed cvc, kept where there are no backups. `until` in ms since the epoch. */
export interface StoredCvc {
  readonly sealedCvc: Buffer;
  readonly until: number;
}

/** What is written with a token, all of it or nothing. */
export interface TokenWrite {
  readonly token: StoredToken;
  /** A new cvc; `removed` takes an old one away; absent leaves it as it is. */
  readonly cvc?: StoredCvc | 'removed';
  /**
   * A token that is gone, or no match any more, whose lock may be taken over. Only for a token that
   * `holdsLock`.
   */
  readonly lockOf?: string;
}

/** Why a write did not happen; nothing was written. */
export type WriteObstacle =
  /**
   * A token of this id exists: also one that has expired and was not swept yet, and also this very
   * token when the answer to an earlier attempt was lost (its `writeId` tells).
   */
  | { readonly taken: StoredToken }
  /** Another token holds the lock of the match hash. */
  | { readonly lockedBy: string }
  /** The token has changed, or is gone, since it was read. */
  | 'changed';

/** The little that a list or a search knows of a token before it is read. */
export interface TokenCandidate extends Pick<
  StoredToken,
  'id' | 'position' | 'type' | 'containers' | 'expiration'
> {
  /** Whether the token has a mask; not known of one that comes from the list of all. */
  readonly hasMask?: boolean;
}

/**
 * What the candidates of a walk have in common: terms (hashes), all of which they stand under, or a
 * fingerprint.
 */
export interface CandidateQuery {
  readonly terms: readonly string[];
  readonly fingerprint?: string;
  /** Only what is older than this position. */
  readonly after?: string;
  /** About how many will be taken, so that not many more are read. */
  readonly expected: number;
  /**
   * Asked before anything else is done with an entry: what the caller may not learn of costs as if
   * it were not there.
   */
  readonly isVisible?: (candidate: TokenCandidate) => boolean;
}

/**
 * Where tokens are kept. Every call rejects with `dependency_unavailable` when the store is down or
 * throttles after retries.
 */
export interface TokenStore {
  /**
   * Writes new tokens with everything that belongs to them: all of them become visible at once, or
   * none. An attempt that dies leaves nothing visible, and nothing that a sweep does not remove.
   */
  create(tokens: readonly TokenWrite[]): Promise<'written' | WriteObstacle>;
  /** Writes a changed token over the version it was made from. */
  update(previous: StoredToken, next: TokenWrite): Promise<'written' | WriteObstacle>;
  /** The token, or `undefined`. Reads what was last written; expiry is the caller's business. */
  find(tenantId: string, id: string): Promise<StoredToken | undefined>;
  /** Those of the tokens that exist, in any order, in as few calls as possible. */
  findMany(tenantId: string, ids: readonly string[]): Promise<readonly StoredToken[]>;
  /** The cvc of those of the cards that have one, by token id; the caller checks their end. */
  findCvcs(tenantId: string, ids: readonly string[]): Promise<ReadonlyMap<string, StoredCvc>>;
  /** {@link findMany} without the data that stands in items of its own. */
  findHeads(tenantId: string, ids: readonly string[]): Promise<readonly TokenHead[]>;
  /**
   * The tokens of heads with all of their data, read where it stands; one that has changed
   * meanwhile is read anew, one that is gone left out.
   */
  readData(heads: readonly TokenHead[]): Promise<readonly StoredToken[]>;
  /**
   * Heads of the tokens of a match hash that do not expire before `expiration` (without one: that
   * never expire), the first to expire first and of those the oldest, in batches. The newest ones
   * may not be among them yet; who relies on one looks again.
   */
  findMatches(
    wanted: Pick<StoredToken, 'tenantId' | 'fingerprint' | 'matchHash' | 'expiration'>,
  ): AsyncIterable<readonly TokenHead[]>;
  /**
   * Candidates newest first, in batches. A candidate may have changed or gone since its entry was
   * written; who reads it looks again.
   */
  candidates(tenantId: string, wanted: CandidateQuery): AsyncIterable<readonly TokenCandidate[]>;
  /**
   * Deletes a token in one call if it can be decided and done in one: it stands in a single
   * container below one of `below`, has not expired at `now`, and nothing else belongs to it.
   * Otherwise nothing changes, and the token comes back, or `undefined` if there is none.
   */
  deleteAlone(
    tenantId: string,
    id: string,
    condition: { readonly below: readonly Container[]; readonly now: number },
  ): Promise<'deleted' | { readonly kept: StoredToken | undefined }>;
  /**
   * Deletes this version of a token and everything that belongs to it; `false` if it has changed
   * since.
   */
  deleteWhole(token: StoredToken): Promise<boolean>;
}
