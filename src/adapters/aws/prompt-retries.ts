import type { Clock } from '../../core/shared/clock.ts';

/** The part of the SDK's retry strategy that begins a call, and that allows one more attempt. */
export interface RetryStrategy {
  acquireInitialRetryToken: (scope: string) => Promise<object>;
  refreshRetryTokenForRetry: (token: object, error: object) => Promise<object>;
}

/**
 * Changes a strategy so that it allows no attempt more than `withinMs` after the call began. That
 * time continues while the instance is frozen: otherwise an attempt that was under way at the end
 * of a request would be repeated with the next request, hours later. A record of the trail would
 * then be inserted into a minute that is sealed.
 */
export function makePrompt<Strategy extends RetryStrategy>(
  strategy: Strategy,
  { clock, withinMs }: { readonly clock: Clock; readonly withinMs: number },
): Strategy {
  const begun = new WeakMap<object, number>();
  const acquire = strategy.acquireInitialRetryToken.bind(strategy);
  const refresh = strategy.refreshRetryTokenForRetry.bind(strategy);
  strategy.acquireInitialRetryToken = async (scope) => {
    const token = await acquire(scope);
    begun.set(token, clock());
    return token;
  };
  strategy.refreshRetryTokenForRetry = async (token, error) => {
    const since = begun.get(token) ?? clock();
    const checkTime = () => {
      if (clock() - since > withinMs) throw new Error('It is too late for another attempt.');
    };
    checkTime();
    // The strategy also waits here, and the instance may be frozen meanwhile.
    const next = await refresh(token, error);
    checkTime();
    begun.set(next, since);
    return next;
  };
  return strategy;
}
