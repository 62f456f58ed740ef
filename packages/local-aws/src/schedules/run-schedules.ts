import { randomUUID } from 'node:crypto';
import { errorMessage } from '../error-code.ts';
import type { InvocationOutcome } from '../lambda/function-definition.ts';
import type { Schedule } from './schedule-table.ts';

export interface ScheduleRunnerOptions {
  readonly schedules: readonly Schedule[];
  /** How long a scheduled minute lasts here; 60 is real time. */
  readonly tickSeconds: number;
  readonly accountId: string;
  readonly region: string;
  readonly invoke: (functionArn: string, payload: string) => Promise<InvocationOutcome>;
  readonly isPermitted: (schedule: Schedule) => boolean;
  readonly log: (line: string) => void;
  /** Called at every tick with the number of scheduled minutes that have passed. */
  readonly onTick?: (minute: number) => void;
}

/** The event that a rule sends when its target has no input of its own. */
function standardEvent(schedule: Schedule, accountId: string, region: string): string {
  return JSON.stringify({
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: accountId,
    time: `${new Date().toISOString().slice(0, 19)}Z`,
    region,
    resources: [schedule.arn],
    detail: {},
  });
}

/**
 * Runs schedules on a clock whose minutes last `tickSeconds`. While an execution runs, the next
 * one of its schedule is skipped: after a jump of the clock they would all have the same work. A
 * failed one is logged and not repeated. Returns the function that stops the clock.
 */
export function runSchedules(options: ScheduleRunnerOptions): () => void {
  const { schedules, accountId, region, log } = options;
  const start = Math.floor(Date.now() / 60_000) * 60_000;
  const active = new Set<Schedule>();
  let minute = 0;

  async function run(schedule: Schedule): Promise<void> {
    if (!options.isPermitted(schedule)) {
      log(`${schedule.arn} may not invoke ${schedule.functionArn}`);
      return;
    }
    const payload = schedule.input ?? standardEvent(schedule, accountId, region);
    const outcome = await options.invoke(schedule.functionArn, payload);
    if (outcome.failed) log(`${schedule.arn}: ${outcome.payload}`);
  }

  function tick(): void {
    minute += 1;
    const time = new Date(start + minute * 60_000);
    for (const schedule of schedules)
      if (schedule.isDue(minute, time) && !active.has(schedule)) {
        active.add(schedule);
        run(schedule)
          .catch((error: unknown) => {
            log(`${schedule.arn}: ${errorMessage(error)}`);
          })
          .finally(() => active.delete(schedule));
      }
    options.onTick?.(minute);
  }

  const timer = setInterval(tick, options.tickSeconds * 1000);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}
