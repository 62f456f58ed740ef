import { parseSchedule, type IsDue } from './parse-schedule.ts';

export interface ScheduleDefinition {
  readonly arn: string;
  /** `rate(1 minute)` or `cron(...)`. */
  readonly expression: string;
  readonly functionArn: string;
  /** JSON text; without it the function gets the standard event. */
  readonly input?: string;
}

export interface Schedule extends ScheduleDefinition {
  readonly isDue: IsDue;
}

export interface ScheduleTable {
  /** Throws an Error if the expression cannot run locally. */
  add(schedule: ScheduleDefinition): void;
  /** The same list at each call: it follows later changes. */
  all(): readonly Schedule[];
  remove(arn: string): void;
}

export function createScheduleTable(): ScheduleTable {
  const schedules: Schedule[] = [];
  return {
    add: (schedule) => {
      schedules.push({ ...schedule, isDue: parseSchedule(schedule.expression) });
    },
    all: () => schedules,
    remove: (arn) => {
      for (let at = schedules.length - 1; at >= 0; at -= 1)
        if (schedules[at]?.arn === arn) schedules.splice(at, 1);
    },
  };
}
