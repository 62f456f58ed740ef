import type { Container } from '../shared/container.ts';
import type { StoredToken } from './token.ts';

/** A sealed cvc, kept where there are no backups. `until` in ms since the epoch. */
export interface StoredCvc {
  readonly sealedCvc: Buffer;
  readonly until: number;
}

/** What is written with a token, all of it or nothing. */
export interface NewToken {
  readonly token: StoredToken;
  readonly cvc?: StoredCvc;
}

/** Where tokens are kept. Every call rejects with `dependency_unavailable` when the store is down or throttles after retries. */
export interface TokenStore {
  /**
   * Writes a new token with everything that belongs to it. `taken` if a token of this id exists: also one that has expired and was
   * not swept yet, and also the very same token when the answer to an earlier attempt was lost (its `writeId` tells).
   */
  create(token: NewToken): Promise<'created' | { readonly taken: StoredToken }>;
  /** The token, or `undefined`. Reads what was last written; expiry is the caller's business. */
  find(tenantId: string, id: string): Promise<StoredToken | undefined>;
  /** The cvc of a card, or `undefined`; the caller checks its hour. */
  findCvc(tenantId: string, id: string): Promise<StoredCvc | undefined>;
  /**
   * Deletes a token in one call if it can be decided and done in one: it stands in a single container below one of `below`, has
   * not expired at `now`, and nothing else belongs to it. Otherwise nothing changes, and the token comes back, or `undefined` if there is none.
   */
  deleteAlone(
    tenantId: string,
    id: string,
    condition: { readonly below: readonly Container[]; readonly now: number },
  ): Promise<'deleted' | { readonly kept: StoredToken | undefined }>;
  /** Deletes this version of a token and everything that belongs to it, all or nothing; `false` if it has changed since. */
  deleteWhole(token: StoredToken): Promise<boolean>;
}
