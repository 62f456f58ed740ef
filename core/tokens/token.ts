import type { Container } from '../shared/container.ts';
import type { Json } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';
import type { Timestamp } from '../shared/timestamp.ts';
import type { TokenTypeName } from './token-type.ts';

/** What callers say about a token beside its data; only what differs from the defaults of its type. */
export interface TokenDetails {
  readonly metadata?: Readonly<Record<string, string>>;
  /** `null`: the token has no mask; absent: the mask of its type. */
  readonly mask?: Json;
  readonly searchIndexes?: readonly string[];
  readonly fingerprintExpression?: string;
}

/** A token as a store holds it: what must be compared in the clear, the rest sealed. Times in ms since the epoch. */
export interface StoredToken {
  readonly tenantId: string;
  readonly id: string;
  readonly type: TokenTypeName;
  readonly containers: readonly Container[];
  readonly fingerprint: string;
  /** Sealed JSON of the data, never with a cvc. */
  readonly sealedData: Buffer;
  /** Sealed {@link TokenDetails}; absent when every detail is the default. */
  readonly sealedDetails?: Buffer;
  /** Until when the card's cvc exists; it is kept elsewhere, sealed by itself. Absent for a token without one. */
  readonly cvcUntil?: number;
  /** From this instant the token does not exist; the offset is the caller's, kept for responses. */
  readonly expiration?: Timestamp;
  readonly createdBy: string;
  readonly createdAt: number;
  /** Its place in the order of creation (`shared/position.ts`). */
  readonly position: string;
  readonly modifiedBy?: string;
  readonly modifiedAt?: number;
  /** Hashes of the terms that the token can be found by (`index-term.ts`); empty for a plain token. */
  readonly terms: readonly string[];
  /** Whether it is the token that creates with `deduplicate_token` find for its type and fingerprint. */
  readonly holdsLock: boolean;
  /** Starts at 1 and grows by one with each update. */
  readonly version: number;
  /** Names the request that wrote this version, so that a write whose answer was lost is recognised when it is tried again. */
  readonly writeId: Buffer;
}

type NotShown =
  'sealedData' | 'sealedDetails' | 'cvcUntil' | 'terms' | 'holdsLock' | 'position' | 'version' | 'writeId';

/** A token as a caller may see it: `data` is absent when it was redacted. */
export interface TokenView extends Omit<StoredToken, NotShown> {
  readonly data?: Secret<Json>;
  readonly mask: Json;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly searchIndexes?: readonly string[];
  readonly fingerprintExpression: string;
}
