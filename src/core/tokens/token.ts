import type { Container } from '../shared/container.ts';
import type { Json } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';
import type { Timestamp } from '../shared/timestamp.ts';
import type { TokenDescription } from './token-details.ts';
import type { TokenTypeName } from './token-type.ts';

/**
 * A token as the store has it: in the clear what must be compared, the rest encrypted. Times in ms
 * since the epoch.
 */
export interface StoredToken {
  readonly tenantId: string;
  readonly id: string;
  readonly type: TokenTypeName;
  readonly containers: readonly Container[];
  readonly fingerprint: string;
  /** Keyed hash of all that duplicates share, except the expiration (`crypto/fingerprint.ts`). */
  readonly matchHash: string;
  /**
   * All data ever written to it came from the private application that created it, by its own key.
   */
  readonly isSolelyOwn: boolean;
  /** Another caller received it as a duplicate, and relies on the values that matched. */
  readonly isShared: boolean;
  /** Encrypted JSON of the data, never with a cvc. */
  readonly encryptedData: Buffer;
  /** Encrypted {@link TokenDescription details}; absent when every detail is the default. */
  readonly encryptedDetails?: Buffer;
  /** MAC of the clear fields, and of the sizes of data and details (`encryption-context.ts`). */
  readonly clearMac: Buffer;
  /**
   * Set by the store alone: the data is in separate items, although it would fit into the token's
   * own.
   */
  readonly isApart?: true;
  /**
   * End of the card's cvc, which is encrypted and stored separately. Absent for a token without
   * one.
   */
  readonly cvcUntil?: number;
  /**
   * The token is treated as missing from this instant; the offset is the caller's, for responses.
   */
  readonly expiration?: Timestamp;
  readonly createdBy: string;
  readonly createdAt: number;
  /** Position in the order of creation (`shared/position.ts`). */
  readonly position: string;
  readonly modifiedBy?: string;
  readonly modifiedAt?: number;
  /**
   * Hashes of the terms that the token can be found by (`index-term.ts`); empty for a plain token.
   */
  readonly terms: readonly string[];
  /**
   * First version of the root that fingerprint and match hash were derived from
   * (`crypto/key-ring.ts`), and of the oldest root that terms were derived from.
   */
  readonly derivedSince: number;
  readonly termsSince: number;
  /**
   * Whether the token has a mask, its own or that of its type: without one, a rule with the
   * transform `mask` shows no data.
   */
  readonly hasMask: boolean;
  /** Whether it is the token that creates with `deduplicate_token` find for its match hash. */
  readonly holdsLock: boolean;
  /** Starts at 1 and increases by one with each write. */
  readonly version: number;
  /**
   * Identifies the request that wrote the content, so that a retry of a write whose response was
   * lost recognizes its own write. Encrypting the same content again does not change it.
   */
  readonly writeId: Buffer;
}

type NotShown =
  | 'encryptedData'
  | 'encryptedDetails'
  | 'clearMac'
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
 * A token before its data is read from separate items, where it is if it is too large for the
 * token's own item.
 */
export interface TokenSummary extends Omit<StoredToken, 'encryptedData'> {
  readonly encryptedData?: Buffer;
  /** Bytes of JSON of the data. */
  readonly dataBytes: number;
}

/** A token as a caller may see it: `data` is absent when it is redacted. */
export interface TokenView extends Omit<StoredToken, NotShown | 'fingerprint'> {
  /** Absent when the data is redacted: a redacted view has nothing that can be compared. */
  readonly fingerprint?: string;
  readonly data?: Secret<Json>;
  /** Absent where a page omits it. */
  readonly description?: TokenDescription;
  /** Names of the members of the Token object that exceed their share of a page. */
  readonly omitted?: readonly string[];
}
