import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from './service-error.ts';

/** Tries before a lost race surfaces. Fifty writers of one record are done long before. */
const ATTEMPTS = 40;
const BASE_MS = 5;
const LONGEST_MS = 400;

/**
 * Runs an attempt until it answers something else than `lost`, with full jitter in between so that
 * competitors spread out. Throws `conflict` when it has lost too often.
 */
export async function retryRace<T extends object | string>(
  attempt: () => Promise<T | 'lost'>,
): Promise<Exclude<T, 'lost'>> {
  for (let tries = 1; tries <= ATTEMPTS; tries += 1) {
    const outcome = await attempt();
    if (outcome !== 'lost') return outcome as Exclude<T, 'lost'>;
    await sleep(Math.random() * Math.min(LONGEST_MS, BASE_MS * 2 ** tries));
  }
  throw new ServiceError('conflict', 'The resource is being changed by other requests.', {
    headers: { 'Retry-After': '1' },
  });
}
