import { ApiError } from './api-error.ts';
import { ConnectionError } from './connection-error.ts';

const FIRST_DELAY_MS = 200;
/** A call fails if it would have to wait longer, and its caller decides. */
const LONGEST_DELAY_MS = 30_000;
const WORTH_ANOTHER_TRY: readonly number[] = [429, 502, 503, 504];
/** Longer than any request of the service runs. */
const RUNNING_MS = 35_000;
/**
 * The poll interval for a request that is still running: `Retry-After` names the time when it would
 * count as dead.
 */
const POLL_MS = 1_000;

/**
 * Seconds of a `Retry-After` header, in either form (RFC 9110, 10.2.3); `undefined` for any other
 * value.
 */
export function retryAfterSeconds(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  // Date.parse accepts almost anything; an HTTP date contains its weekday and ends in GMT.
  const at = /^[A-Z][a-z]+,? .* GMT$/.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1_000));
}

const pollMs = (retryAfter = 0): number => Math.min(retryAfter * 1_000, POLL_MS);

/** Half fixed, half random, so that clients that failed together do not retry together. */
const backoffMs = (tried: number): number => FIRST_DELAY_MS * 2 ** tried * (0.5 + Math.random() / 2);

const jitterMs = (): number => Math.random() * FIRST_DELAY_MS;

/**
 * Decides about at most `retries` further attempts; `isKeyed`: the call has an idempotency key. The
 * result maps a failure to the ms before the next attempt, or to `undefined` for none.
 */
export function retrying(
  retries: number,
  isKeyed: boolean,
  clock: () => number = Date.now,
): (failure: ApiError | ConnectionError) => number | undefined {
  let tried = 0;
  let hasLostResponse = false;
  let waitsUntil: number | undefined;

  /**
   * 409: an earlier attempt, whose response was lost, is still running. The client waits, since
   * this call gets the same response.
   */
  const isRunning = ({ status, retryAfter }: ApiError): boolean => {
    if (!isKeyed || status !== 409 || retryAfter === undefined) return false;
    waitsUntil ??= clock() + RUNNING_MS;
    return clock() + pollMs(retryAfter) < waitsUntil;
  };

  /**
   * A browser cannot read the header, so it cannot distinguish a running request from a conflict;
   * the former is likely.
   */
  const mayBeRunning = ({ status }: ApiError): boolean => status === 409 && isKeyed && hasLostResponse;

  return (failure) => {
    if (failure instanceof ConnectionError) hasLostResponse = true;
    if (retries === 0) return undefined;
    if (failure instanceof ApiError && isRunning(failure)) return pollMs(failure.retryAfter) + jitterMs();
    if (tried >= retries) return undefined;
    const backoff = backoffMs(Math.min(tried, 5));
    tried += 1;
    if (failure instanceof ConnectionError) return backoff;
    const { status, retryAfter } = failure;
    if (!WORTH_ANOTHER_TRY.includes(status) && !mayBeRunning(failure)) return undefined;
    const waitMs = retryAfter === undefined ? backoff : retryAfter * 1_000 + jitterMs();
    return waitMs > LONGEST_DELAY_MS + FIRST_DELAY_MS ? undefined : waitMs;
  };
}
