import { setImmediate as turn } from 'node:timers/promises';

/** So many turns of the event loop go by without a new call before a round begins. */
const QUIET_TURNS = 5;

interface Waiting {
  readonly work: () => Promise<unknown>;
  readonly end: (settled: PromiseSettledResult<unknown>) => void;
}

/**
 * Carries calls out in rounds, which begin when nothing happens any more, and end for all of their
 * calls at once. So each call takes the same time, as if a network were much slower than the code,
 * but no time passes.
 */
export function createRounds() {
  let waiting: readonly Waiting[] = [];
  let isRunning = false;
  let count = 0;

  async function quiet(): Promise<void> {
    for (let turns = 0, seen = waiting; turns < QUIET_TURNS; turns += 1) {
      await turn();
      if (seen !== waiting) turns = 0;
      seen = waiting;
    }
  }

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      await quiet();
      const round = waiting;
      waiting = [];
      const settled = await Promise.allSettled(round.map(({ work }) => work()));
      count += 1;
      for (const [at, { end }] of round.entries()) end(settled[at] as PromiseSettledResult<unknown>);
    }
    isRunning = false;
  }

  return {
    /** The rounds that have ended. */
    count: () => count,
    carryOut: <T>(work: () => Promise<T>): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        const end = (settled: PromiseSettledResult<unknown>) => {
          if (settled.status === 'fulfilled') resolve(settled.value as T);
          else reject(settled.reason as Error);
        };
        waiting = [...waiting, { work, end }];
        if (!isRunning) void run();
      }),
  };
}
