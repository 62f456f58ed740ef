import type { PortEffects } from '../audit/effect.ts';
import type { StoredToken, TokenSummary, UnprovenSummary, UnprovenToken } from './token.ts';

/** An encrypted cvc, stored in the table without backups. `until` is in ms since the epoch. */
export interface StoredCvc {
  readonly encryptedCvc: Buffer;
  readonly until: number;
}

/** A token and everything that is written with it, atomically. */
export interface TokenWrite {
  readonly token: StoredToken;
  /** A new cvc. `removed` deletes the old one, and if absent the cvc is unchanged. */
  readonly cvc?: StoredCvc | 'removed';
  /**
   * Id of the token that holds the lock, if it is deleted or no longer matches. The new token may
   * take the lock over. Only a token with `holdsLock` has it.
   */
  readonly lockOf?: string;
}

/** Why a write failed. Nothing was written then. */
export type WriteConflict =
  /**
   * A token with this id exists, or existed. `writeId` is that of its create, if it is known. If it
   * is of the same request, an earlier attempt made the token, and its response was lost.
   */
  | { readonly idTakenBy: Pick<StoredToken, 'id'> & Partial<Pick<StoredToken, 'writeId'>> }
  /** Another token holds the lock of the match hash. */
  | { readonly lockedBy: string }
  /** The token has changed, or was deleted, since it was read. */
  | 'changed';

/** The fields of a token that its index entry has, which are known before the token is read. */
export interface TokenCandidate extends Pick<
  StoredToken,
  'id' | 'position' | 'type' | 'containers' | 'expiration'
> {
  /** Whether the token has a mask. An entry of the list of all tokens does not have this field. */
  readonly hasMask?: boolean;
}

/** The terms (hashes) or the fingerprint that all candidates have. */
export interface CandidateQuery {
  readonly terms: readonly string[];
  readonly fingerprint?: string;
  /** Only candidates older than this position are returned. */
  readonly after?: string;
  /** About how many candidates the caller will consume. The store reads few more. */
  readonly expected: number;
  /**
   * Called before anything else is done with an entry. A token that the caller may not see then
   * costs as little as a missing one.
   */
  readonly isVisible?: (candidate: TokenCandidate) => boolean;
}

/**
 * Where tokens are stored. An id names one token for ever. A deleted token leaves a tombstone in
 * its place, for 25 hours if the service made the id (`service-id.ts`): no caller can choose it.
 * Every call rejects with `dependency_unavailable` when the store is down, or still throttles after
 * retries.
 */
export interface TokenStoreOf<Token extends UnprovenToken, Summary extends UnprovenSummary> {
  /**
   * Writes new tokens with everything that belongs to them. All become visible together, or none
   * does. An attempt that dies leaves nothing visible, and nothing that a sweep does not remove.
   */
  create(tokens: readonly TokenWrite[]): Promise<'written' | WriteConflict>;
  /** Replaces the version `previous`, from which `next` was made. */
  update(previous: UnprovenToken, next: TokenWrite): Promise<'written' | WriteConflict>;
  /**
   * The newest version of a token; `undefined` if there is none. The caller checks the expiration.
   */
  find(tenantId: string, id: string): Promise<Token | undefined>;
  /** Finds the tokens that exist among these ids, in any order, in as few calls as possible. */
  findMany(tenantId: string, ids: readonly string[]): Promise<readonly Token[]>;
  /**
   * The write ids of the creates of tokens that are deleted, by those of these ids that had such a
   * token. A token is forgotten 25 hours after its deletion if the service made its id.
   */
  findDeleted(tenantId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
  /** Finds which of these ids a token has, or a deleted one had, in as few calls as possible. */
  findTaken(tenantId: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Finds the cvcs of the cards that have one, by token id. The caller checks when they end. */
  findCvcs(tenantId: string, ids: readonly string[]): Promise<ReadonlyMap<string, StoredCvc>>;
  /** Returns the same as {@link findMany}, without data that is in separate items. */
  findSummaries(tenantId: string, ids: readonly string[]): Promise<readonly Summary[]>;
  /**
   * Reads all data of the tokens with these summaries. A token that has changed since is read
   * again, and one that has not keeps all that its summary has. A deleted token is left out.
   */
  readData(summaries: readonly Summary[]): Promise<readonly Token[]>;
  /**
   * Summaries with a match hash that expire at `expiration` or later, or never if it is absent.
   * They are in the order of expiration and age, the earliest first. The index lags: read the token
   * before relying on it.
   */
  findMatches(
    wanted: Pick<StoredToken, 'tenantId' | 'fingerprint' | 'matchHash' | 'expiration'>,
  ): AsyncIterable<readonly Summary[]>;
  /**
   * Candidates in batches, newest first. A candidate may have been changed or deleted since its
   * entry was written, so the caller must read the token again.
   */
  candidates(tenantId: string, wanted: CandidateQuery): AsyncIterable<readonly TokenCandidate[]>;
  /**
   * Deletes a token in one call if it has not expired at `now` and nothing else belongs to it.
   * Otherwise changes nothing and returns the token, if there is one.
   */
  deleteIfStandalone(
    tenantId: string,
    id: string,
    now: number,
  ): Promise<'deleted' | { readonly remaining: Token | undefined }>;
  /**
   * Deletes this version of a token and everything that belongs to it; `false` if the token has
   * changed since.
   */
  deleteVersion(token: UnprovenToken): Promise<boolean>;
  /**
   * Deletes up to `count` tombstones of a tenant and returns their number. Tombstones remember
   * which ids a caller chose for tokens that are gone, so this is only for a tenant that is being
   * destroyed.
   */
  deleteTombstones(tenantId: string, count: number): Promise<number>;
  /**
   * Deletes the tombstones that do not expire of some tokens, if they are deleted. Unlike
   * {@link deleteTombstones}, it finds those that were written just before.
   */
  deleteTombstonesOf(tenantId: string, ids: readonly string[]): Promise<void>;
}

/** The store as adapters are: what it returns may have been written by another principal. */
export type UnprovenTokenStore = TokenStoreOf<UnprovenToken, UnprovenSummary>;

/** The store for everything that decides or shows (`proven-token-store.ts`). */
export type TokenStore = TokenStoreOf<StoredToken, TokenSummary>;

export const TOKEN_STORE_EFFECTS: PortEffects<TokenStore> = {
  create: (writes) => ({ tokens: writes.map(({ token }) => token), form: 'create' }),
  // If the token is now shared, the caller received it as a duplicate and learns that it exists.
  update: (previous, { token }) => ({
    tokens: [{ id: token.id, containers: [...new Set([...previous.containers, ...token.containers])] }],
    form: previous.isShared === token.isShared ? 'update' : 'identity',
  }),
  deleteIfStandalone: (_tenantId, id) => ({ tokens: [{ id }], form: 'delete' }),
  deleteVersion: (token) => ({ tokens: [token], form: 'delete' }),
  deleteTombstones: () => ({ tokens: [], form: 'delete' }),
  deleteTombstonesOf: () => ({ tokens: [], form: 'delete' }),
  find: 'finds',
  findMany: 'finds',
  findSummaries: 'finds',
  findDeleted: 'none',
  findTaken: 'none',
  findCvcs: 'none',
  findMatches: 'none',
  readData: 'none',
  candidates: 'none',
};
