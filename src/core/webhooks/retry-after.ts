import type { HeaderFields } from '../egress/egress-client.ts';

/** Longest wait that a receiver may ask for, in ms (docs/contract.md#delivery). */
export const RETRY_AFTER_MAX_MS = 60 * 60 * 1000;

const SECONDS = /^\d{1,10}$/;
/** RFC 9110, section 5.6.7: the form of a date that senders must use. */
const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * How long a response asks to wait before the next attempt, in ms, at most
 * {@link RETRY_AFTER_MAX_MS}; 0 if it does not say so, or not in the form of RFC 9110, section
 * 10.2.3. `now` is the time of the world, in ms since the epoch.
 */
export function retryAfterOf(headers: HeaderFields, now: number): number {
  const value = headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1].trim() ?? '';
  if (SECONDS.test(value)) return Math.min(Number(value) * 1000, RETRY_AFTER_MAX_MS);
  const wait = DATE.test(value) ? Date.parse(value) - now : 0;
  return wait > 0 ? Math.min(wait, RETRY_AFTER_MAX_MS) : 0;
}
