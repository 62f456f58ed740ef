import type { PortEffects } from '../audit/effect.ts';

/** Identifies one request of one caller that may be retried. */
export interface IdempotencyScope {
  readonly tenantId: string;
  /** Hash over credential, method, path and the caller's key. */
  readonly request: string;
}

/** In ms since the epoch. */
export interface ClaimTimes {
  readonly now: number;
  /** An attempt without a response is certainly dead from this time on. */
  readonly leaseUntil: number;
}

/** A claim decides what an attempt may do with the request. */
export type IdempotencyClaim =
  /**
   * This attempt runs the request. `seed` and `startedAt` (ms) are the same in every attempt after
   * one that died.
   */
  | {
      readonly state: 'claimed';
      readonly seed: Buffer;
      readonly startedAt: number;
      readonly attempt: string;
    }
  /** Another attempt is running. It counts as dead at `leaseUntil` (ms since the epoch). */
  | { readonly state: 'running'; readonly leaseUntil: number }
  /** The request succeeded. This is its encrypted response. */
  | { readonly state: 'stored'; readonly encryptedResponse: Buffer }
  /**
   * The request ran something that must not run twice, and its response is not stored, or not any
   * more.
   */
  | { readonly state: 'ran' }
  /** The key was used with another body. */
  | { readonly state: 'other_body' };

/** Stores the responses of requests with an idempotency key, encrypted, for a day. */
export interface IdempotencyStore {
  /**
   * Claims a request by its keyed body hash. `others` are hashes of the same body under other keys.
   * A retry may take over a dead attempt after the lease. After a release, a request with another
   * body starts over.
   */
  claim(
    scope: IdempotencyScope,
    bodyHash: Buffer,
    times: ClaimTimes,
    others?: readonly Buffer[],
  ): Promise<IdempotencyClaim>;
  /**
   * Records that an act that must not run twice is about to run; `false` if another attempt has
   * taken over.
   */
  beginRun(scope: IdempotencyScope, attempt: string): Promise<boolean>;
  /**
   * Stores the response of the attempt that has the claim. `until` (ms since the epoch) may end it
   * before the record. Does nothing if another attempt has taken over.
   */
  keep(
    scope: IdempotencyScope,
    attempt: string,
    encryptedResponse: Buffer,
    times: { readonly now: number; readonly until?: number },
  ): Promise<void>;
  /**
   * Releases the claim after a failure, so that a retry may start at once. The seed stays, so that
   * the retry finds what this attempt wrote. With `hasRun`, the record of {@link beginRun} stays
   * too.
   */
  release(scope: IdempotencyScope, attempt: string, hasRun: boolean): Promise<void>;
}

export const IDEMPOTENCY_STORE_EFFECTS: PortEffects<IdempotencyStore> = {
  claim: 'none',
  beginRun: 'none',
  keep: 'none',
  release: 'none',
};
