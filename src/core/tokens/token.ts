import type { Container } from '../shared/container.ts';
import type { Json } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';
import type { Timestamp } from '../shared/timestamp.ts';
import type { TokenDescription } from './token-details.ts';
import type { TokenTypeName } from './token-type.ts';

declare const PROVEN: unique symbol;

/**
 * A MAC that this request made or checked. Only `encrypt-content.ts` makes a value of this type, so
 * that nothing is decided or shown by clear fields that another principal wrote.
 */
export type ProvenMac = Buffer & { readonly [PROVEN]: true };

/**
 * A token of the store whose clear fields are as the service wrote them. What must be compared is
 * in the clear; the rest is encrypted. Times are in ms since the epoch.
 */
export interface StoredToken {
  readonly tenantId: string;
  readonly id: string;
  readonly type: TokenTypeName;
  readonly containers: readonly Container[];
  readonly fingerprint: string;
  /**
   * Keyed hash of everything that duplicates share, except the expiration
   * (`crypto/fingerprint.ts`).
   */
  readonly matchHash: string;
  /**
   * True if all data ever written to it came from the private application that created it, by its
   * own key.
   */
  readonly isSolelyOwn: boolean;
  /** True if another caller received it as a duplicate, and relies on the values that matched. */
  readonly isShared: boolean;
  /** Present if its writer asked that no create or PATCH finds it as a duplicate. */
  readonly isUnmatched?: true;
  /** The data as encrypted JSON. It never contains a cvc. */
  readonly encryptedData: Buffer;
  /** Encrypted {@link TokenDescription details}; absent when every detail is the default. */
  readonly encryptedDetails?: Buffer;
  /** MAC of the clear fields, and of the sizes of data and details (`encryption-context.ts`). */
  readonly clearMac: ProvenMac;
  /**
   * Only the store sets this: the data is in separate items, although it would fit into the token's
   * own.
   */
  readonly isApart?: true;
  /** End of the card's cvc, which is stored separately. Absent for a token without a cvc. */
  readonly cvcUntil?: number;
  /**
   * The token is treated as missing from this instant. The offset is the caller's, for responses.
   */
  readonly expiration?: Timestamp;
  readonly createdBy: string;
  readonly createdAt: number;
  /** Position in the order of creation (`shared/position.ts`). */
  readonly position: string;
  readonly modifiedBy?: string;
  readonly modifiedAt?: number;
  /**
   * Hashes of the terms by which the token can be found (`index-term.ts`). A plain token has none.
   */
  readonly terms: readonly string[];
  /**
   * First version of the root from which fingerprint and match hash were derived
   * (`crypto/key-ring.ts`). `termsSince` is that of the oldest root from which terms were derived.
   */
  readonly derivedSince: number;
  readonly termsSince: number;
  /**
   * Whether the token has a mask, which may be that of its type. Without one, a rule with the
   * transform `mask` shows no data.
   */
  readonly hasMask: boolean;
  /** Whether creates with `deduplicate_token` find this token for its match hash. */
  readonly holdsLock: boolean;
  /** Starts at 1 and increases by one with each write. */
  readonly version: number;
  /**
   * Identifies the request that wrote the content, so that a retry of a write whose response was
   * lost recognizes its own write. Encrypting the same content again does not change it.
   */
  readonly writeId: Buffer;
  /** The write id of the create, if a later write has replaced it. */
  readonly createWriteId?: Buffer;
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
  | 'isUnmatched'
  | 'terms'
  | 'derivedSince'
  | 'termsSince'
  | 'hasMask'
  | 'holdsLock'
  | 'position'
  | 'version'
  | 'writeId'
  | 'createWriteId';

/**
 * A token before its data is read. Data that is too large for the token's own item is in separate
 * items.
 */
export interface TokenSummary extends Omit<StoredToken, 'encryptedData'> {
  readonly encryptedData?: Buffer;
  /** Size that the data has as JSON, in bytes. */
  readonly dataBytes: number;
}

/** A token as the store returns it, before its MAC was checked. */
export interface UnprovenToken extends Omit<StoredToken, 'clearMac'> {
  readonly clearMac: Buffer;
}

/** A {@link TokenSummary} as the store returns it, before its MAC was checked. */
export interface UnprovenSummary extends Omit<TokenSummary, 'clearMac'> {
  readonly clearMac: Buffer;
}

/** A token as a caller may see it. `data` is absent if it is redacted. */
export interface TokenView extends Omit<StoredToken, NotShown | 'fingerprint'> {
  /** Absent if the data is redacted, because a redacted view has nothing that can be compared. */
  readonly fingerprint?: string;
  readonly data?: Secret<Json>;
  /** Absent if a page omits it. */
  readonly description?: TokenDescription;
  /**
   * Names of the members of the Token object that a page omits, because they exceed their share.
   */
  readonly omitted?: readonly string[];
}
