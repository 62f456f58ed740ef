import { ApiError } from './api-error.ts';
import { ConnectionError } from './connection-error.ts';

const FIRST_DELAY_MS = 200;
/** Longer than this the caller may rather decide itself. */
const LONGEST_DELAY_MS = 30_000;
const WORTH_ANOTHER_TRY: readonly number[] = [429, 502, 503, 504];
/** Longer than any request of the service runs. */
const RUNNING_MS = 35_000;
/**
 * How often what is still running is asked for: `Retry-After` says only when it would be taken for
 * dead.
 */
const POLL_MS = 1_000;

/**
 * Seconds of a `Retry-After` header, in either of its forms (RFC 9110, 10.2.3); `undefined` if it
 * has neither.
 */
export function retryAfterSeconds(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  // Date.parse takes almost anything; an HTTP date names its day and ends in GMT.
  const at = /^[A-Z][a-z]+,? .* GMT$/.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1_000));
}

const pollMs = (retryAfter = 0): number => Math.min(retryAfter * 1_000, POLL_MS);

/**
 * Half of it certain, half of it random: clients that failed together do not come back together.
 */
const backoffMs = (tried: number): number => FIRST_DELAY_MS * 2 ** tried * (0.5 + Math.random() / 2);

/**
 * Decides about the tries of one call. `retries`: how many more there may be. `isKeyed`: it has an
 * idempotency key. The result is told each failure, and answers the ms to wait before the next try,
 * or `undefined` where there is to be none.
 */
export function retrying(
  retries: number,
  isKeyed: boolean,
  clock: () => number = Date.now,
): (failure: ApiError | ConnectionError) => number | undefined {
  let tried = 0;
  let hasLostAnswer = false;
  let waitsUntil: number | undefined;

  /**
   * 409: an earlier try, whose answer was lost, still runs. It is waited for, since its answer will
   * be this call's.
   */
  const isRunning = ({ status, retryAfter }: ApiError): boolean => {
    if (!isKeyed || status !== 409 || retryAfter === undefined) return false;
    waitsUntil ??= clock() + RUNNING_MS;
    return clock() + pollMs(retryAfter) < waitsUntil;
  };

  return (failure) => {
    if (failure instanceof ConnectionError) hasLostAnswer = true;
    if (retries === 0) return undefined;
    const waitsForOwn = failure instanceof ApiError && isRunning(failure);
    if (!waitsForOwn && tried >= retries) return undefined;
    const backoff = backoffMs(Math.min(tried, 5));
    if (!waitsForOwn) tried += 1;
    if (failure instanceof ConnectionError) return backoff;
    const { status, retryAfter } = failure;
    // In a browser the header cannot be read: what is running cannot be told from what is refused,
    // but it is likely.
    const isWorthIt = WORTH_ANOTHER_TRY.includes(status) || (status === 409 && isKeyed && hasLostAnswer);
    if (!waitsForOwn && !isWorthIt) return undefined;
    if (waitsForOwn) return pollMs(retryAfter) + Math.random() * FIRST_DELAY_MS;
    const waitMs = retryAfter === undefined ? backoff : retryAfter * 1_000 + Math.random() * FIRST_DELAY_MS;
    return waitMs > LONGEST_DELAY_MS + FIRST_DELAY_MS ? undefined : waitMs;
  };
}
