import { pause, type Platform } from './platform.ts';
import { ServiceError } from './service-error.ts';

/** Attempts before a conflict is reported. Fifty writers of one record need far fewer. */
const ATTEMPTS = 40;
const BASE_MS = 5;
const LONGEST_MS = 400;

/**
 * Repeats an attempt until it returns anything but `conflict`. Full jitter between attempts spreads
 * the competitors. Throws `conflict` after too many conflicts.
 */
export async function retryConflict<T extends object | string>(
  platform: Pick<Platform, 'random' | 'startTimer'>,
  attempt: () => Promise<T | 'conflict'>,
): Promise<Exclude<T, 'conflict'>> {
  for (let tries = 1; tries <= ATTEMPTS; tries += 1) {
    const outcome = await attempt();
    if (outcome !== 'conflict') return outcome as Exclude<T, 'conflict'>;
    await pause(platform, platform.random.fraction() * Math.min(LONGEST_MS, BASE_MS * 2 ** tries));
  }
  throw new ServiceError('conflict', 'The resource is being changed by other requests.', {
    headers: { 'Retry-After': '1' },
  });
}
