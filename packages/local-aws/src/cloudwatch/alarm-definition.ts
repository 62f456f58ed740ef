import { z } from 'zod';
import { parseFormula, type Formula } from './metric-math.ts';
import type { MetricId } from './metric-store.ts';
import { parseStatistic, type Statistic } from './statistic.ts';

/** A metric of an alarm, and what the alarm reads of it. */
export interface WatchedMetric {
  readonly metric: MetricId;
  readonly statistic: Statistic;
}

/** The meaning that a missing data point has for an alarm. */
export type MissingData = 'missing' | 'ignore' | 'breaching' | 'notBreaching';

/** An alarm compares a metric, or an expression over metrics, with a threshold. */
export interface AlarmDefinition {
  readonly name: string;
  readonly description: string;
  readonly metrics: readonly WatchedMetric[];
  /** Computes the value of a period from those of its metrics. */
  readonly valueOf: (read: (watched: WatchedMetric) => number | undefined) => number | undefined;
  readonly periodMinutes: number;
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly threshold: number;
  readonly comparison: keyof typeof COMPARISONS;
  readonly missingData: MissingData;
}

/** Comparisons of a value with the threshold, with the words of a reason. */
export const COMPARISONS = {
  GreaterThanOrEqualToThreshold: {
    breaches: (value: number, threshold: number) => value >= threshold,
    words: 'at least',
  },
  GreaterThanThreshold: {
    breaches: (value: number, threshold: number) => value > threshold,
    words: 'more than',
  },
  LessThanOrEqualToThreshold: {
    breaches: (value: number, threshold: number) => value <= threshold,
    words: 'at most',
  },
  LessThanThreshold: {
    breaches: (value: number, threshold: number) => value < threshold,
    words: 'less than',
  },
} as const;

const count = z.coerce.number().int().positive();
/** Locally the shortest period is a minute; CloudWatch also has some of less. */
const period = count.multipleOf(60).transform((seconds) => seconds / 60);
const dimensions = z
  .array(z.strictObject({ Name: z.string(), Value: z.string() }))
  .default([])
  .transform((pairs) => Object.fromEntries(pairs.map(({ Name, Value }) => [Name, Value])));
const statistic = z.string().transform((name, context) => {
  const parsed = parseStatistic(name);
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: 'custom', message: `the statistic ${name} does not run locally` });
  return z.NEVER;
});
const ignored = z.unknown().optional();

const query = z.strictObject({
  Id: z.string(),
  Expression: z.string().optional(),
  MetricStat: z
    .strictObject({
      Metric: z.strictObject({ Namespace: z.string(), MetricName: z.string(), Dimensions: dimensions }),
      Period: period,
      Stat: statistic,
    })
    .optional(),
  ReturnData: z.coerce.boolean().default(true),
  Label: ignored,
});

/** The properties of `AWS::CloudWatch::Alarm`, without those that choose actions. */
export const alarmProperties = z.strictObject({
  AlarmName: ignored,
  AlarmDescription: z.string().default(''),
  Namespace: z.string().optional(),
  MetricName: z.string().optional(),
  Dimensions: dimensions,
  Statistic: statistic.optional(),
  ExtendedStatistic: statistic.optional(),
  Period: period.optional(),
  Metrics: z.array(query).optional(),
  EvaluationPeriods: count,
  DatapointsToAlarm: count.optional(),
  Threshold: z.coerce.number(),
  ComparisonOperator: z.literal(Object.keys(COMPARISONS) as (keyof typeof COMPARISONS)[]),
  TreatMissingData: z.enum(['missing', 'ignore', 'breaching', 'notBreaching']).default('missing'),
  // No topic exists that an alarm could publish to.
  ActionsEnabled: ignored,
  AlarmActions: ignored,
  OKActions: ignored,
  InsufficientDataActions: ignored,
  Tags: ignored,
});

type Properties = z.infer<typeof alarmProperties>;
type Query = z.infer<typeof query>;
type Read = Pick<AlarmDefinition, 'metrics' | 'valueOf' | 'periodMinutes'>;

/** Reads an alarm that names one metric by its own properties. */
function readMetric(properties: Properties): Read {
  const { Namespace, MetricName, Dimensions, Statistic, ExtendedStatistic, Period } = properties;
  const read = Statistic ?? ExtendedStatistic;
  if (Namespace === undefined || MetricName === undefined || Period === undefined || read === undefined)
    throw new Error('an alarm without Metrics needs Namespace, MetricName, Period and a statistic');
  const watched = {
    metric: { namespace: Namespace, name: MetricName, dimensions: Dimensions },
    statistic: read,
  };
  return { metrics: [watched], valueOf: (valueOf) => valueOf(watched), periodMinutes: Period };
}

/** Reads an alarm whose metrics and expressions have ids. One of them decides. */
function readQueries(queries: readonly Query[]): Read {
  const watched = new Map<string, WatchedMetric>();
  const formulas = new Map<string, Formula>();
  const periods = new Set<number>();
  for (const { Id, Expression, MetricStat } of queries) {
    if (MetricStat !== undefined) {
      const { Metric, Period, Stat } = MetricStat;
      const metric = { namespace: Metric.Namespace, name: Metric.MetricName, dimensions: Metric.Dimensions };
      watched.set(Id, { metric, statistic: Stat });
      periods.add(Period);
    }
    if (Expression === undefined) continue;
    const { formula, ids } = parseFormula(Expression);
    // An expression over expressions would need their order.
    const unknown = ids.find((id) =>
      queries.every((each) => each.Id !== id || each.MetricStat === undefined),
    );
    if (unknown !== undefined) throw new Error(`${unknown} in "${Expression}" is no metric of the alarm`);
    formulas.set(Id, formula);
  }
  const [decisive, second] = queries.filter(({ ReturnData }) => ReturnData);
  const [periodMinutes, other] = periods;
  if (decisive === undefined || second !== undefined) throw new Error('an alarm watches one of its Metrics');
  if (periodMinutes === undefined || other !== undefined)
    throw new Error('all Metrics of an alarm have one period');
  const formula =
    formulas.get(decisive.Id) ?? ((valueOf: (id: string) => number | undefined) => valueOf(decisive.Id));
  return {
    metrics: [...watched.values()],
    periodMinutes,
    valueOf: (read) =>
      formula((id) => {
        const metric = watched.get(id);
        return metric === undefined ? undefined : read(metric);
      }),
  };
}

/** Throws an Error that names what does not run locally. */
export function alarmDefinition(name: string, properties: Properties): AlarmDefinition {
  const { Metrics, EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods, TreatMissingData } = properties;
  if (DatapointsToAlarm > EvaluationPeriods)
    throw new Error('DatapointsToAlarm must be at most EvaluationPeriods');
  const read = Metrics === undefined ? readMetric(properties) : readQueries(Metrics);
  return {
    name,
    description: properties.AlarmDescription,
    ...read,
    evaluationPeriods: EvaluationPeriods,
    datapointsToAlarm: DatapointsToAlarm,
    threshold: properties.Threshold,
    comparison: properties.ComparisonOperator,
    // These alarms ignore missing data whatever the alarm says (API Reference, PutMetricAlarm).
    missingData: read.metrics.some(({ metric }) => metric.namespace === 'AWS/DynamoDB')
      ? 'ignore'
      : TreatMissingData,
  };
}
