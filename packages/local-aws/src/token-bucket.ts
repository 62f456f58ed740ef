/** A token bucket limits the rate of requests. Omitted members have the defaults of API Gateway. */
export interface Throttling {
  readonly ratePerSecond?: number;
  readonly burst?: number;
}

/** True if a request may pass. */
export type TokenBucket = () => boolean;

/** API Gateway's default limits of an account. */
const ACCOUNT_RATE_PER_SECOND = 10_000;
const ACCOUNT_BURST = 5_000;

/** `now` returns milliseconds. */
export function createTokenBucket(
  throttling: Throttling,
  now: () => number = () => performance.now(),
): TokenBucket {
  const rate = throttling.ratePerSecond ?? ACCOUNT_RATE_PER_SECOND;
  const burst = throttling.burst ?? ACCOUNT_BURST;
  let tokens = burst;
  let last = now();
  return () => {
    const time = now();
    tokens = Math.min(burst, tokens + ((time - last) / 1000) * rate);
    last = time;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
