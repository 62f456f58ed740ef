// Carries out plans for simulate.ts, in a process of its own.
import { createHash } from 'node:crypto';
import { planOf } from './plan.ts';
import { runPlan } from './run.ts';
import { tables } from './tables.ts';
import { warmUp } from './warm-up.ts';

/** A run that is wanted: its seed, and the factor of its length. */
export interface WantedRun {
  readonly seed: string;
  readonly size: number;
}

/** The outcome of a run. */
export interface Report extends WantedRun {
  readonly problems: readonly string[];
  /** Hashes all events, and everything that is stored at the end. */
  readonly digest: string;
  readonly requests: number;
  readonly calls: number;
  readonly faults: number;
  readonly minutes: number;
}

async function report({ seed, size }: WantedRun): Promise<Report> {
  const result = await runPlan(planOf(seed, size), tables());
  const { problems, events, items, counts, faults, lastedMs } = result;
  return {
    seed,
    size,
    faults,
    problems: problems.map(({ judge, text }) => `${judge}: ${text}`),
    digest: createHash('sha256')
      .update(JSON.stringify([events, items]))
      .digest('base64url'),
    requests: [...counts.values()].reduce((sum, count) => sum + count, 0),
    calls: events.length,
    minutes: lastedMs / 60_000,
  };
}

await warmUp();
process.on('message', (wanted: WantedRun) => {
  void report(wanted).then((done) => process.send?.(done));
});
process.send?.('ready');
