import { COMPARISONS, type AlarmDefinition, type MissingData } from './alarm-definition.ts';

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

/** The value of a period, or why it has none. The account did not exist `before` its start. */
export type Datapoint = number | 'missing' | 'before';

/** A state, and a sentence about the numbers that led to it. */
export interface Verdict {
  readonly state: AlarmState;
  readonly reason: string;
}

/**
 * So many more periods than the alarm needs are read, for missing data points. AWS publishes no
 * number; its examples have this one.
 */
const MORE_PERIODS = 2;

/** The number of data points that {@link evaluateAlarm} needs. */
export const evaluationRange = ({ evaluationPeriods }: AlarmDefinition): number =>
  evaluationPeriods + MORE_PERIODS;

const plural = (count: number): string => `${String(count)} datapoint${count === 1 ? '' : 's'}`;

interface Counted {
  /** The values that count, the newest last. */
  readonly values: readonly number[];
  readonly breaching: number;
  /** Data points that are needed and are not there. */
  readonly lacking: number;
  /** Counts those of them that are since the start of the account. */
  readonly missing: number;
}

function countDatapoints(alarm: AlarmDefinition, datapoints: readonly Datapoint[]): Counted {
  const { breaches } = COMPARISONS[alarm.comparison];
  const real = datapoints.filter((each) => typeof each === 'number');
  // Older data points count only in the place of missing ones.
  const values = real.slice(-alarm.evaluationPeriods);
  const lacking = alarm.evaluationPeriods - values.length;
  return {
    values,
    breaching: values.filter((value) => breaches(value, alarm.threshold)).length,
    lacking,
    missing: Math.min(lacking, datapoints.filter((each) => each === 'missing').length),
  };
}

/**
 * With missing data an alarm rings early if its oldest value breaches, is as old as the data points
 * that it needs, and no newer value is all right.
 */
function isPremature(
  { datapointsToAlarm }: AlarmDefinition,
  datapoints: readonly Datapoint[],
  { values, breaching }: Counted,
): boolean {
  const oldest = datapoints.findIndex((each) => typeof each === 'number');
  return breaching === values.length && datapoints.length - oldest >= datapointsToAlarm;
}

function stateOf(
  alarm: AlarmDefinition,
  datapoints: readonly Datapoint[],
  counted: Counted,
  current: AlarmState,
): AlarmState {
  const { values, breaching, lacking, missing } = counted;
  const rings = (count: number): boolean => count >= alarm.datapointsToAlarm;
  if (rings(breaching)) return 'ALARM';
  if (lacking === 0 || alarm.missingData === 'notBreaching') return 'OK';
  if (alarm.missingData === 'breaching') {
    if (rings(breaching + missing)) return 'ALARM';
    // Data points that lack because the account did not exist yet are no fault.
    return rings(breaching + lacking) ? 'INSUFFICIENT_DATA' : 'OK';
  }
  if (breaching < values.length) return 'OK';
  if (alarm.missingData === 'ignore') return current;
  return values.length > 0 && isPremature(alarm, datapoints, counted) ? 'ALARM' : 'INSUFFICIENT_DATA';
}

/** A reason has no room for more values. */
const SHOWN_VALUES = 5;

function shown(values: readonly number[]): string {
  const last = values.slice(-SHOWN_VALUES).map((value) => String(Number(value.toPrecision(6))));
  return `[${last.length < values.length ? '..., ' : ''}${last.join(', ')}]`;
}

const MISSING: Readonly<Record<MissingData, string>> = {
  breaching: 'Missing ones count as breaching.',
  notBreaching: 'Missing ones do not count.',
  ignore: 'With missing ones the alarm stays as it was.',
  missing: 'Missing ones are no reason to change.',
};

function reasonOf(
  alarm: AlarmDefinition,
  { values, breaching, lacking }: Counted,
  state: AlarmState,
): string {
  const { datapointsToAlarm, evaluationPeriods, periodMinutes, threshold, comparison, missingData } = alarm;
  const minutes = evaluationPeriods * periodMinutes;
  const found =
    values.length === 0
      ? `There is no datapoint in the last ${minutes === 1 ? 'minute' : `${String(minutes)} minutes`}.`
      : `${String(breaching)} of the last ${plural(values.length)} ${shown(values)} ` +
        `${breaching === 1 ? 'is' : 'are'} ${COMPARISONS[comparison].words} ${String(threshold)}; ` +
        `the alarm needs ${String(datapointsToAlarm)} of ${String(evaluationPeriods)}.`;
  if (lacking === 0) return found;
  const isTooNew = state === 'INSUFFICIENT_DATA' && missingData === 'breaching';
  return `${found} ${isTooNew ? 'The account has not run that long.' : MISSING[missingData]}`;
}

/**
 * The state of an alarm by its last {@link evaluationRange} data points, the newest last
 * (CloudWatch User Guide, Configuring how CloudWatch alarms treat missing data).
 */
export function evaluateAlarm(
  alarm: AlarmDefinition,
  datapoints: readonly Datapoint[],
  current: AlarmState,
): Verdict {
  const counted = countDatapoints(alarm, datapoints);
  const state = stateOf(alarm, datapoints, counted, current);
  return { state, reason: reasonOf(alarm, counted, state) };
}
