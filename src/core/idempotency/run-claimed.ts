import { ServiceError } from '../shared/service-error.ts';
import type { IdempotencyClaim, IdempotencyScope, IdempotencyStore } from './idempotency-store.ts';
import type { RunOnce } from './run-once.ts';

/**
 * How much longer than the function may run its claim counts, in ms. The clocks of two instances
 * differ, and a write of a function that was ended may still arrive.
 */
export const LEASE_MARGIN_MS = 2_000;

/** The error for a request of which another attempt is running. `what` names it. */
export function stillRunning(what: string, leaseUntil: number, now: number): ServiceError {
  const leftSeconds = Math.max(1, Math.ceil((leaseUntil - now) / 1000));
  return new ServiceError('conflict', `${what} is still running.`, {
    headers: { 'Retry-After': String(leftSeconds) },
  });
}

/**
 * Runs a request under a claim. Releases the claim if the request fails or its response cannot be
 * stored, so that the next attempt finds what this one wrote.
 */
export async function runClaimed<T>(
  store: IdempotencyStore,
  scope: IdempotencyScope,
  claim: Extract<IdempotencyClaim, { readonly state: 'claimed' }>,
  run: (once: RunOnce) => Promise<T>,
): Promise<T> {
  let hasRun = false;
  const once: RunOnce = {
    async begin() {
      hasRun = true;
      if (await store.beginRun(scope, claim.attempt)) return;
      throw new ServiceError('conflict', 'Another request with this idempotency key has taken over.');
    },
    mayRepeat() {
      hasRun = false;
    },
  };
  try {
    return await run(once);
  } catch (error) {
    // Reports the first failure. A claim that cannot be released ends with its lease.
    await store.release(scope, claim.attempt, hasRun).catch(() => undefined);
    throw error;
  }
}
