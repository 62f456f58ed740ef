import { parseSchedule } from './schedule-expression.ts';
import type { IsDue } from './schedule-expression.ts';

/** What lets a schedule invoke its function: the function's resource policy (rules), or a role (Scheduler). */
export type Invoker =
  | { readonly kind: 'permission'; readonly principal: string }
  | { readonly kind: 'role'; readonly roleArn: string };

export interface ScheduleDefinition {
  readonly arn: string;
  /** `rate(1 minute)` or `cron(...)`. */
  readonly expression: string;
  readonly functionArn: string;
  /** JSON text; without it the function gets the standard event. */
  readonly input?: string;
  readonly invokedBy: Invoker;
}

export interface Schedule extends ScheduleDefinition {
  readonly isDue: IsDue;
}

export interface ScheduleTable {
  /** Throws an Error if the expression cannot run locally. */
  add(schedule: ScheduleDefinition): void;
  all(): readonly Schedule[];
}

export function createScheduleTable(): ScheduleTable {
  const schedules: Schedule[] = [];
  return {
    add: (schedule) => {
      schedules.push({ ...schedule, isDue: parseSchedule(schedule.expression) });
    },
    all: () => schedules,
  };
}
