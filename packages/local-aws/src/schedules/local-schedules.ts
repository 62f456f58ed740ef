import type { LocalAccount, LocalService } from '../assembly/local-service.ts';
import { definedIn } from '../assembly/resource-type.ts';
import type { FunctionHost } from '../lambda/function-host.ts';
import { runSchedules } from './run-schedules.ts';
import { scheduleResources } from './schedule-resources.ts';
import { createScheduleTable } from './schedule-table.ts';

export interface LocalSchedulesOptions {
  readonly functions: Pick<FunctionHost, 'invoke' | 'isPermitted'>;
  /** How long a scheduled minute lasts. */
  readonly tickSeconds: number;
  /** Called when scheduled minutes have passed, with their number since the start. */
  readonly onMinutes: (before: number, after: number) => void;
}

/** EventBridge runs the rules that have a schedule. */
export function createLocalSchedules(
  account: LocalAccount,
  { functions, tickSeconds, onMinutes }: LocalSchedulesOptions,
): LocalService {
  const { accountId, region, clock, logs } = account;
  const schedules = createScheduleTable();
  return {
    resources: definedIn(schedules, scheduleResources),
    removers: {
      'AWS::Events::Rule': ({ identity }) => {
        schedules.remove(identity.attributes['Arn'] ?? '');
      },
    },
    accept: () => {
      const running = runSchedules({
        schedules: schedules.all(),
        tickSeconds,
        accountId,
        region,
        invoke: (functionArn, payload) => functions.invoke(functionArn, payload),
        isPermitted: ({ arn, functionArn }) =>
          functions.isPermitted(functionArn, 'events.amazonaws.com', arn),
        log: (line) => {
          logs.line('schedules', line);
        },
        onMinutes,
      });
      clock.onMove((seconds) => {
        running.advance(Math.floor(seconds / 60));
      });
      account.onClose(() => {
        running.stop();
      });
    },
  };
}
