import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 100;

/** Looks until something is there; rejects after a minute. */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (let waited = 0; waited < 60_000; waited += PAUSE_MS) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(PAUSE_MS);
  }
  throw new Error('it did not happen');
}
