import type { FunctionHost } from '../lambda/function-host.ts';
import type { Lambda } from '../lambda/create-lambda.ts';
import type { Sqs } from '../sqs/create-sqs.ts';
import type { QueueDefinition } from '../sqs/queue-definitions.ts';
import type { QueueDepth } from '../sqs/queue-messages.ts';
import type { CloudWatch } from './create-cloudwatch.ts';
import type { AlarmState } from './evaluate-alarm.ts';
import type { FunctionActivity } from './function-activity.ts';
import { addDepth } from './queue-metrics.ts';

/** `GET /_local/health` returns this: names, numbers and times, and no data of the app. */
export interface Health {
  /** The account was started then. All times are ISO 8601. */
  readonly since: string;
  readonly now: string;
  readonly functions: readonly FunctionHealth[];
  readonly queues: readonly QueueHealth[];
  readonly alarms: readonly AlarmHealth[];
}

export interface FunctionHealth {
  readonly name: string;
  readonly invocations: number;
  readonly errors: number;
  readonly throttles: number;
  /** How many run now. */
  readonly instances: number;
  readonly last_error_at: string | null;
}

export interface QueueHealth {
  readonly name: string;
  readonly visible: number;
  readonly in_flight: number;
  readonly delayed: number;
  readonly oldest_age_seconds: number | null;
  readonly dead_letter: boolean;
}

export interface AlarmHealth {
  readonly name: string;
  readonly description: string;
  readonly state: AlarmState;
  readonly reason: string;
}

export interface HealthOptions {
  readonly cloudWatch: CloudWatch;
  readonly activity: FunctionActivity;
  readonly functions: Pick<FunctionHost, 'all' | 'instancesOf'>;
  readonly lambda: Pick<Lambda, 'created'>;
  readonly queues: readonly QueueDefinition[];
  readonly sqs: Pick<Sqs, 'depths'>;
  /** Returns the time of the account in ms since the epoch. */
  readonly now: () => number;
}

export interface HealthReader {
  read(): Promise<Health>;
  /** Ends a minute of the metrics, and counts the messages of the queues for the next one. */
  passMinute(): void;
}

const iso = (ms: number): string => new Date(ms).toISOString();
const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : 1;

/** The ARNs of the queues to which other queues move messages. */
function deadLetterArns(queues: readonly QueueDefinition[]): ReadonlySet<unknown> {
  return new Set(
    queues.flatMap(({ attributes: { RedrivePolicy } }) => {
      if (RedrivePolicy === undefined) return [];
      const { deadLetterTargetArn } = JSON.parse(RedrivePolicy) as Readonly<Record<string, unknown>>;
      return [deadLetterTargetArn];
    }),
  );
}

export function createHealthReader(options: HealthOptions): HealthReader {
  const { cloudWatch, activity, functions, lambda, queues, sqs, now } = options;
  const since = now();
  const deadLetters = deadLetterArns(queues);

  function functionHealth(): readonly FunctionHealth[] {
    const ofTemplates = functions.all().map(({ name }) => ({ name, instances: functions.instancesOf(name) }));
    const all = [...ofTemplates, ...lambda.created()].toSorted(byName);
    activity.retain(new Set(all.map(({ name }) => name)));
    return all.map(({ name, instances }) => {
      const { invocations, errors, throttles, lastErrorMs } = activity.countsOf(name);
      const last_error_at = lastErrorMs === undefined ? null : iso(lastErrorMs);
      return { name, invocations, errors, throttles, instances, last_error_at };
    });
  }

  /** Counts the messages, for the alarms too. */
  async function measureQueues(): Promise<readonly QueueDepth[]> {
    const depths = await sqs.depths();
    for (const depth of depths) addDepth(cloudWatch, depth);
    return depths;
  }

  async function queueHealth(): Promise<readonly QueueHealth[]> {
    const depths = await measureQueues();
    return depths
      .flatMap(({ name, visible, inFlight, delayed, oldestAgeMs }) => {
        // A data directory may have queues of an earlier deployment.
        const defined = queues.find((queue) => queue.name === name);
        if (defined === undefined) return [];
        const oldest_age_seconds = oldestAgeMs === undefined ? null : Math.floor(oldestAgeMs / 1000);
        const dead_letter = deadLetters.has(defined.arn);
        return [{ name, visible, in_flight: inFlight, delayed, oldest_age_seconds, dead_letter }];
      })
      .toSorted(byName);
  }

  return {
    read: async () => {
      const queuesNow = await queueHealth();
      return {
        since: iso(since),
        now: iso(now()),
        functions: functionHealth(),
        queues: queuesNow,
        alarms: cloudWatch
          .alarms()
          .map(({ name, description, state, reason }) => ({ name, description, state, reason })),
      };
    },
    passMinute: () => {
      cloudWatch.passMinute();
      // If the queues have stopped, this minute has no data points.
      measureQueues().catch(() => undefined);
    },
  };
}
