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
  /**
   * Called when scheduled minutes have passed, with their number since the start before and
   * after.
   */
  readonly onMinutes?: (before: number, after: number) => void;
}

/** Schedules that run. */
export interface RunningSchedules {
  /** Lets whole minutes pass at once: each schedule that is due in them runs once. */
  advance(minutes: number): void;
  stop(): void;
}

/** A schedule runs again within so many minutes, or never: a year. */
const LONGEST_MINUTES = 366 * 24 * 60;

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
 * one of its schedule is skipped, or follows it if the clock was advanced meanwhile. A failed one
 * is logged and not repeated.
 */
export function runSchedules(options: ScheduleRunnerOptions): RunningSchedules {
  const { schedules, accountId, region, log } = options;
  const start = Math.floor(Date.now() / 60_000) * 60_000;
  const active = new Set<Schedule>();
  const waiting = new Set<Schedule>();
  let now = 0;
  let isStopped = false;

  async function run(schedule: Schedule): Promise<void> {
    if (!options.isPermitted(schedule)) {
      log(`${schedule.arn} may not invoke ${schedule.functionArn}`);
      return;
    }
    const payload = schedule.input ?? standardEvent(schedule, accountId, region);
    const outcome = await options.invoke(schedule.functionArn, payload);
    if (outcome.failed) log(`${schedule.arn}: ${outcome.payload}`);
  }

  function begin(schedule: Schedule): void {
    active.add(schedule);
    run(schedule)
      .catch((error: unknown) => {
        log(`${schedule.arn}: ${errorMessage(error)}`);
      })
      .finally(() => {
        active.delete(schedule);
        // Its rule may have been removed meanwhile.
        if (waiting.delete(schedule) && schedules.includes(schedule)) begin(schedule);
      });
  }

  const isDue = (schedule: Schedule, minute: number): boolean =>
    schedule.isDue(minute, new Date(start + minute * 60_000));

  function tick(): void {
    now += 1;
    for (const schedule of schedules) if (isDue(schedule, now) && !active.has(schedule)) begin(schedule);
    options.onMinutes?.(now - 1, now);
  }

  function advance(minutes: number): void {
    if (isStopped) return;
    const before = now;
    now += minutes;
    for (const schedule of schedules) {
      let minute = Math.max(before + 1, now - LONGEST_MINUTES);
      while (minute <= now && !isDue(schedule, minute)) minute += 1;
      if (minute > now) continue;
      if (active.has(schedule)) waiting.add(schedule);
      else begin(schedule);
    }
    options.onMinutes?.(before, now);
  }

  const timer = setInterval(tick, options.tickSeconds * 1000);
  timer.unref();
  return {
    advance,
    stop: () => {
      isStopped = true;
      clearInterval(timer);
      waiting.clear();
    },
  };
}
