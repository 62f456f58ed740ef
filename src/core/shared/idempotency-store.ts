/** Names one request of one caller that may be tried again. */
export interface IdempotencyScope {
  readonly tenantId: string;
  /** Hash over credential, method, path and the caller's key. */
  readonly request: string;
}

/** How an attempt at a request starts. */
export type IdempotencyClaim =
  /**
   * This attempt runs the request. `seed` and `startedAt` (ms) are the same for every attempt that
   * follows one that died.
   */
  | {
      readonly state: 'claimed';
      readonly seed: Buffer;
      readonly startedAt: number;
      readonly attempt: string;
    }
  /** Another attempt is running it; it is taken for dead at `leaseUntil` (ms since the epoch). */
  | { readonly state: 'running'; readonly leaseUntil: number }
  /** It has succeeded; its sealed answer. */
  | { readonly state: 'answered'; readonly sealedAnswer: Buffer }
  /** It has run what must not run twice, and there is no answer (any more). */
  | { readonly state: 'ran' }
  /** The key was used with another body. */
  | { readonly state: 'other_body' };

/** Where the answers of requests with an idempotency key are kept, sealed, for a day. */
export interface IdempotencyStore {
  /**
   * Claims a request with a body: its keyed hash, and what the same body may have been kept under
   * before. A claim whose holder died can be taken over after its lease; one that was given back
   * also by a request with another body, which starts anew.
   */
  claim(
    scope: IdempotencyScope,
    bodyHash: Buffer,
    now: number,
    others?: readonly Buffer[],
  ): Promise<IdempotencyClaim>;
  /**
   * Writes down that what must not run twice is about to run; `false` if the claim was taken over.
   */
  markRun(scope: IdempotencyScope, attempt: string): Promise<boolean>;
  /**
   * Keeps the answer of the attempt that holds the claim, until a time (ms since the epoch) if that
   * comes before the record's own end. Does nothing if the claim was taken over.
   */
  keep(
    scope: IdempotencyScope,
    attempt: string,
    sealedAnswer: Buffer,
    times: { readonly now: number; readonly until?: number },
  ): Promise<void>;
  /**
   * Gives the claim back after a failure, so that the request may be tried again at once. The seed
   * stays: the failed attempt may have written something before it failed, and the next one must
   * find it. `hasRun`: whether the mark of {@link markRun} stays, too.
   */
  release(scope: IdempotencyScope, attempt: string, hasRun: boolean): Promise<void>;
}
