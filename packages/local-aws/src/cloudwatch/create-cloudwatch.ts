import type { AlarmDefinition } from './alarm-definition.ts';
import { readEmbeddedMetrics } from './embedded-metrics.ts';
import {
  evaluateAlarm,
  evaluationRange,
  type AlarmState,
  type Datapoint,
  type Verdict,
} from './evaluate-alarm.ts';
import type { LineFilter, LineValue } from './filter-pattern.ts';
import { isMeasured } from './measured-metrics.ts';
import { createMetricStore, type MetricId, type MetricSeries } from './metric-store.ts';

/** An alarm as it is now. */
export interface AlarmReading extends Verdict {
  readonly name: string;
  readonly description: string;
}

/** The templates define these for CloudWatch. */
export interface AlarmDefinitions {
  define(alarm: AlarmDefinition): void;
  /** Adds up the values of the lines of a log that match, in a metric without dimensions. */
  defineFilter(filter: MetricFilter): void;
}

/** A metric filter counts lines of a log group, or adds up a value of them. */
export interface MetricFilter extends Pick<MetricId, 'namespace' | 'name'> {
  readonly logGroup: string;
  readonly matches: LineFilter;
  readonly valueIn: LineValue;
}

/**
 * The alarms of the app and the metrics that they watch. Its minutes are those of the schedules. An
 * alarm is only evaluated when someone asks.
 */
export interface CloudWatch extends AlarmDefinitions {
  /** Reads a line of a log group. */
  readonly logged: (logGroup: string | undefined, line: string) => void;
  /** Returns `undefined` for a metric that no alarm watches. */
  readonly find: (metric: MetricId) => MetricSeries | undefined;
  readonly passMinute: () => void;
  /** Deletes the alarm of a name. */
  remove(name: string): void;
  /** All alarms, by name. */
  alarms(): readonly AlarmReading[];
}

/** Most minutes for which an alarm that depends on its earlier states is evaluated afterwards. */
const MOST_EVALUATIONS = 60;

interface Alarm {
  readonly definition: AlarmDefinition;
  state: AlarmState;
  /** The minute before which everything was evaluated. */
  evaluatedTo: number;
}

/** Names a metric. The same one by other dimensions may be measured. */
function metricWords({ namespace, name, dimensions }: MetricId): string {
  const of = Object.keys(dimensions).toSorted().join(' and ');
  return `${namespace} ${name}${of === '' ? '' : ` by ${of}`}`;
}

/** `measures` decides which metrics have data points; an alarm on any other has no state. */
export function createCloudWatch(measures: (metric: MetricId) => boolean = isMeasured): CloudWatch {
  const store = createMetricStore();
  const alarms = new Map<string, Alarm>();
  const filters = new Map<string, MetricFilter[]>();

  /** The data points of an alarm at the begin of a minute; the newest ends there. */
  function datapointsOf(definition: AlarmDefinition, end: number): readonly Datapoint[] {
    const { periodMinutes } = definition;
    return Array.from({ length: evaluationRange(definition) }, (_, index): Datapoint => {
      const to = end - (evaluationRange(definition) - 1 - index) * periodMinutes;
      const from = to - periodMinutes;
      const value = definition.valueOf(({ metric, statistic }) => store.read(metric, statistic, from, to));
      return value ?? (from < 0 ? 'before' : 'missing');
    });
  }

  function evaluate(alarm: Alarm): Verdict {
    const { definition } = alarm;
    const unmeasured = definition.metrics.find(({ metric }) => !measures(metric));
    if (unmeasured !== undefined)
      return {
        state: 'INSUFFICIENT_DATA',
        reason: `${metricWords(unmeasured.metric)} is not measured locally.`,
      };
    const now = store.minute;
    let end = now;
    // Only these depend on their state before.
    if (definition.missingData === 'ignore') end = Math.max(alarm.evaluatedTo + 1, now - MOST_EVALUATIONS);
    for (; end < now; end += 1)
      alarm.state = evaluateAlarm(definition, datapointsOf(definition, end), alarm.state).state;
    const verdict = evaluateAlarm(definition, datapointsOf(definition, now), alarm.state);
    alarm.state = verdict.state;
    alarm.evaluatedTo = now;
    return verdict;
  }

  return {
    define: (definition) => {
      alarms.set(definition.name, { definition, state: 'INSUFFICIENT_DATA', evaluatedTo: 0 });
      const minutes = evaluationRange(definition) * definition.periodMinutes + MOST_EVALUATIONS;
      for (const { metric, statistic } of definition.metrics) store.watch(metric, statistic, minutes);
    },
    defineFilter: (filter) => {
      const { logGroup } = filter;
      filters.set(logGroup, [...(filters.get(logGroup) ?? []), filter]);
    },
    logged: (logGroup, line) => {
      readEmbeddedMetrics(line, (metric, value) => store.find(metric)?.add(value));
      for (const { namespace, name, matches, valueIn } of filters.get(logGroup ?? '') ?? [])
        if (matches(line)) store.find({ namespace, name, dimensions: {} })?.add(valueIn(line));
    },
    find: store.find,
    passMinute: store.passMinute,
    remove: (name) => {
      alarms.delete(name);
    },
    alarms: () =>
      [...alarms.values()]
        .map((alarm) => ({
          name: alarm.definition.name,
          description: alarm.definition.description,
          ...evaluate(alarm),
        }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
