import type { Container } from '../shared/container.ts';
import type { Json } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';
import type { Timestamp } from '../shared/timestamp.ts';
import type { TokenTypeName } from './token-type.ts';

/**
 * What callers say about a token beside its data; only what differs from the defaults of its type.
 */
export interface TokenDetails {
  readonly metadata?: Readonly<Record<string, string>>;
  /** `null`: the token has no mask; absent: the mask of its type. */
  readonly mask?: Json;
  readonly searchIndexes?: readonly string[];
  readonly fingerprintExpression?: string;
}

/**
 * A token as a store holds it: what must be compared in the clear, the rest sealed. Times in ms
 * since the epoch.
 */
export interface StoredToken {
  readonly tenantId: string;
  readonly id: string;
  readonly type: TokenTypeName;
  readonly containers: readonly Container[];
  readonly fingerprint: string;
  /**
   * Keyed hash of all that a duplicate must have in common, but for the expiry (`match-hash.ts`).
   */
  readonly matchHash: string;
  /**
   * All data ever written to it came from the private application that created it, by its own key.
   */
  readonly isSolelyOwn: boolean;
  /**
   * Another caller was given it as the match of a deduplication, and relies on what it was matched
   * by.
   */
  readonly isShared: boolean;
  /** Sealed JSON of the data, never with a cvc. */
  readonly sealedData: Buffer;
  /** Sealed {@link TokenDetails}; absent when every detail is the default. */
  readonly sealedDetails?: Buffer;
  /**
   * Said by the store alone: the data stands in items of its own, although it would fit the
   * token's.
   */
  readonly isApart?: true;
  /**
   * Until when the card's cvc exists; it is kept elsewhere, sealed by itself. Absent for a token
   * without one.
   */
  readonly cvcUntil?: number;
  /** From this instant the token does not exist; the offset is the caller's, kept for responses. */
  readonly expiration?: Timestamp;
  readonly createdBy: string;
  readonly createdAt: number;
  /** Its place in the order of creation (`shared/position.ts`). */
  readonly position: string;
  readonly modifiedBy?: string;
  readonly modifiedAt?: number;
  /**
   * Hashes of the terms that the token can be found by (`index-term.ts`); empty for a plain token.
   */
  readonly terms: readonly string[];
  /**
   * First version of the root that fingerprint and match hash were made under
   * (`crypto/key-ring.ts`), and of the oldest that terms were.
   */
  readonly derivedSince: number;
  readonly termsSince: number;
  /**
   * Whether it has a mask, its own or that of its type: without one, a rule that masks shows no
   * data.
   */
  readonly hasMask: boolean;
  /** Whether it is the token that creates with `deduplicate_token` find for its match hash. */
  readonly holdsLock: boolean;
  /** Starts at 1 and grows by one with each write. */
  readonly version: number;
  /**
   * Names the request that wrote the content, so that a write whose answer was lost is recognised
   * when it is tried again. What only seals the same content anew keeps it.
   */
  readonly writeId: Buffer;
}

type NotShown =
  | 'sealedData'
  | 'sealedDetails'
  | 'cvcUntil'
  | 'matchHash'
  | 'isApart'
  | 'isSolelyOwn'
  | 'isShared'
  | 'terms'
  | 'derivedSince'
  | 'termsSince'
  | 'hasMask'
  | 'holdsLock'
  | 'position'
  | 'version'
  | 'writeId';

/**
 * A token as it is found before its data is read from the items beside it, where it is too large
 * for its own.
 */
export interface TokenHead extends Omit<StoredToken, 'sealedData'> {
  readonly sealedData?: Buffer;
  /** Bytes of JSON of the data. */
  readonly dataBytes: number;
}

/** The details of a token with the defaults of its type; `null` for no mask. */
export interface TokenDescription extends TokenDetails {
  readonly mask: Json;
  readonly fingerprintExpression: string;
}

/** A token as a caller may see it: `data` is absent when it was redacted. */
export interface TokenView extends Omit<StoredToken, NotShown> {
  readonly data?: Secret<Json>;
  /** Absent where it was left out of a page. */
  readonly description?: TokenDescription;
  /** Names of the members of the Token object that were too large for their share of a page. */
  readonly omitted?: readonly string[];
}
