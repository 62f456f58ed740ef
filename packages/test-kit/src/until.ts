import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 50;

/**
 * Looks until something is there. It has no end of its own: a slow machine takes longer, and the
 * limit of jest.config.js ends a test whose thing never comes.
 */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(PAUSE_MS);
  }
}

/** Looks until something is so. */
export const untilTrue = (look: () => Promise<boolean> | boolean): Promise<true> =>
  until(async () => ((await look()) ? (true as const) : undefined));
