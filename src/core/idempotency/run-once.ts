/**
 * Limits an act to one run for an idempotency key, even if its response is lost
 * (docs/contract.md#run-code-once).
 */
export interface RunOnce {
  /**
   * Call this before the run. Throws `conflict` if another attempt at the request has taken over.
   */
  begin(): Promise<void>;
  /** The act certainly did not run, or reported its own failure: the request may be retried. */
  mayRepeat(): void;
}

/** For a request without an idempotency key. */
export const runFreely: RunOnce = { begin: () => Promise.resolve(), mayRepeat: () => undefined };
