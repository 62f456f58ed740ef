/**
 * Lets something run at most once under an idempotency key, whatever becomes of its answer
 * (docs/contract.md#run-code-once).
 */
export interface RunOnce {
  /** Before it may run. Throws `conflict` if another attempt at the request has taken over. */
  begin(): Promise<void>;
  /** It did certainly not run, or says itself that it failed: the request may be tried again. */
  mayRepeat(): void;
}

/** For a request that is not tried again. */
export const runFreely: RunOnce = { begin: () => Promise.resolve(), mayRepeat: () => undefined };
