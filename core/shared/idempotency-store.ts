/** Names one request of one caller that may be tried again. */
export interface IdempotencyScope {
  readonly tenantId: string;
  /** Hash over application, method, path and the caller's key. */
  readonly request: string;
}

/** How an attempt at a request starts. */
export type IdempotencyClaim =
  /** This attempt runs the request. `seed` and `startedAt` (ms) are the same for every attempt that follows one that died. */
  | {
      readonly state: 'claimed';
      readonly seed: Buffer;
      readonly startedAt: number;
      readonly attempt: string;
    }
  /** Another attempt is running it. */
  | { readonly state: 'running' }
  /** It has succeeded; its sealed answer. */
  | { readonly state: 'answered'; readonly sealedAnswer: Buffer };

/** Where the answers of requests with an idempotency key are kept, sealed, for a day. */
export interface IdempotencyStore {
  /** Claims a request. A claim whose holder died can be taken over after its lease. */
  claim(scope: IdempotencyScope, now: number): Promise<IdempotencyClaim>;
  /** Keeps the answer of the attempt that holds the claim. Does nothing if the claim was taken over. */
  keep(scope: IdempotencyScope, attempt: string, sealedAnswer: Buffer, now: number): Promise<void>;
  /**
   * Gives the claim back after a failure, so that the request may be tried again at once. The seed stays: the failed attempt may have
   * written something before it failed, and the next one must find it.
   */
  release(scope: IdempotencyScope, attempt: string): Promise<void>;
}
