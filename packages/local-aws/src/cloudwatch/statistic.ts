/** Sums up the data points of one minute. */
export interface Minute {
  count: number;
  sum: number;
  min: number;
  max: number;
  /** How often each rounded value occurred; only if a percentile is read. */
  readonly values?: Map<number, number>;
}

type Totals = Omit<Minute, 'values'>;

/** How the data points of a period become one value. */
export type Statistic = 'SampleCount' | 'Average' | 'Sum' | 'Minimum' | 'Maximum' | { percentile: number };

const ofTotals: Readonly<Record<Exclude<Statistic, object>, (totals: Totals) => number>> = {
  SampleCount: ({ count }) => count,
  Average: ({ sum, count }) => sum / count,
  Sum: ({ sum }) => sum,
  Minimum: ({ min }) => min,
  Maximum: ({ max }) => max,
};

/**
 * Parses the name of a statistic, such as `Sum` or `p99.9`; `undefined` for one that has no local
 * counterpart, such as a trimmed mean.
 */
export function parseStatistic(name: string): Statistic | undefined {
  if (Object.hasOwn(ofTotals, name)) return name as Exclude<Statistic, object>;
  const percentile = Number(/^p(\d{1,3}(?:\.\d{1,10})?)$/.exec(name)?.[1]);
  return percentile <= 100 ? { percentile } : undefined;
}

/** Three significant digits: a minute has at most 900 values for each power of ten. */
const rounded = (value: number): number => Number(value.toPrecision(3));

export function newMinute(withValues: boolean): Minute {
  const totals = { count: 0, sum: 0, min: Infinity, max: -Infinity };
  return withValues ? { ...totals, values: new Map() } : totals;
}

export function addTo(minute: Minute, value: number): void {
  minute.count += 1;
  minute.sum += value;
  if (value < minute.min) minute.min = value;
  if (value > minute.max) minute.max = value;
  if (minute.values === undefined) return;
  const key = rounded(value);
  minute.values.set(key, (minute.values.get(key) ?? 0) + 1);
}

/** The least value that so many percent of the values do not exceed. */
function percentileOf(minutes: readonly Minute[], percentile: number): number | undefined {
  const counts = new Map<number, number>();
  for (const { values } of minutes)
    for (const [value, count] of values ?? []) counts.set(value, (counts.get(value) ?? 0) + count);
  const total = minutes.reduce((sum, { count }) => sum + count, 0);
  let left = Math.max(1, Math.ceil((percentile / 100) * total));
  for (const [value, count] of [...counts].toSorted(([a], [b]) => a - b)) {
    left -= count;
    if (left <= 0) return value;
  }
  return undefined;
}

/** The statistic of a period; `undefined` if it has no data point. */
export function statisticOf(statistic: Statistic, minutes: readonly Minute[]): number | undefined {
  if (minutes.length === 0) return undefined;
  if (typeof statistic === 'object') return percentileOf(minutes, statistic.percentile);
  return ofTotals[statistic]({
    count: minutes.reduce((count, minute) => count + minute.count, 0),
    sum: minutes.reduce((sum, minute) => sum + minute.sum, 0),
    min: minutes.reduce((min, minute) => Math.min(min, minute.min), Infinity),
    max: minutes.reduce((max, minute) => Math.max(max, minute.max), -Infinity),
  });
}
