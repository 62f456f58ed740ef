import { type Platform } from './platform.ts';
import { ServiceError } from './service-error.ts';

/** Attempts before a conflict is reported. Fifty writers of one record need far fewer. */
const ATTEMPTS = 40;
/**
 * Only one attempt begins later. It is needed because a conflict may be with the request's own
 * write, whose response was lost. Even two slow ones then end before the function does (30 s,
 * `lib/constructs/api-function.ts`), so that the caller gets a response and the trail its record.
 */
const LATE_MS = 8_000;
const BASE_MS = 5;
const LONGEST_MS = 400;

/**
 * Repeats an attempt until it returns anything but `conflict`. Full jitter between attempts spreads
 * the competitors. Throws `conflict` after too many conflicts, or seconds.
 */
export async function retryConflict<T extends object | string>(
  platform: Pick<Platform, 'clock' | 'random' | 'pause'>,
  attempt: () => Promise<T | 'conflict'>,
): Promise<Exclude<T, 'conflict'>> {
  const lateFrom = platform.clock() + LATE_MS;
  let isLast = false;
  for (let tries = 1; ; tries += 1) {
    const outcome = await attempt();
    if (outcome !== 'conflict') return outcome as Exclude<T, 'conflict'>;
    if (tries === ATTEMPTS || isLast) break;
    isLast = platform.clock() > lateFrom;
    await platform.pause(platform.random.fraction() * Math.min(LONGEST_MS, BASE_MS * 2 ** tries));
  }
  throw new ServiceError('conflict', 'The resource is being changed by other requests.', {
    headers: { 'Retry-After': '1' },
  });
}
