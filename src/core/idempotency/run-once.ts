/**
 * Limits an act to one run for each idempotency key, even if its response is lost
 * (docs/contract.md#run-code-once).
 */
export interface RunOnce {
  /**
   * Must be called before the run. Throws `conflict` if another attempt at the request has taken
   * over.
   */
  begin(): Promise<void>;
  /**
   * Reports that the act certainly did not run, or failed by itself, so the request may be retried.
   */
  mayRepeat(): void;
}

/** Limits nothing, because the request has no idempotency key. */
export const runFreely: RunOnce = { begin: () => Promise.resolve(), mayRepeat: () => undefined };
