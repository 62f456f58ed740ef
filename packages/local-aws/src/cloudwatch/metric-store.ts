import { addTo, newMinute, statisticOf, type Minute, type Statistic } from './statistic.ts';

/** The identity of a metric in CloudWatch: another dimension is another metric. */
export interface MetricId {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** A metric that something watches. */
export interface MetricSeries {
  add(value: number): void;
}

/**
 * The data points of the watched metrics, by minutes. All others are dropped, so that the
 * definitions of the app bound the memory.
 */
export interface MetricStore {
  /** Stores the data points of a metric for at least so many minutes from now on. */
  watch(metric: MetricId, statistic: Statistic, minutes: number): void;
  /** Returns `undefined` for a metric that nothing watches. */
  readonly find: (metric: MetricId) => MetricSeries | undefined;
  /**
   * The statistic of the minutes from `from` to before `to`, counted since the start; `undefined`
   * without data points.
   */
  read(metric: MetricId, statistic: Statistic, from: number, to: number): number | undefined;
  /** Ends the current minute. */
  readonly passMinute: () => void;
  /** The current minute, which is not over. The first one is 0. */
  readonly minute: number;
}

interface Series extends MetricSeries {
  readonly minutes: Map<number, Minute>;
  retained: number;
  withValues: boolean;
}

function keyOf({ namespace, name, dimensions }: MetricId): string {
  return JSON.stringify([
    namespace,
    name,
    Object.entries(dimensions).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ]);
}

export function createMetricStore(): MetricStore {
  const watched = new Map<string, Series>();
  let current = 0;

  function createSeries(): Series {
    const minutes = new Map<number, Minute>();
    const begin = (): Minute => {
      const begun = newMinute(series.withValues);
      // Minutes are inserted in order, so the oldest come first.
      for (const minute of minutes.keys()) {
        if (minute >= current - series.retained) break;
        minutes.delete(minute);
      }
      minutes.set(current, begun);
      return begun;
    };
    const series: Series = {
      minutes,
      retained: 0,
      withValues: false,
      add: (value) => {
        addTo(minutes.get(current) ?? begin(), value);
      },
    };
    return series;
  }

  return {
    watch: (metric, statistic, minutes) => {
      const key = keyOf(metric);
      const series = watched.get(key) ?? createSeries();
      series.retained = Math.max(series.retained, minutes);
      series.withValues ||= typeof statistic === 'object';
      watched.set(key, series);
    },
    find: (metric) => watched.get(keyOf(metric)),
    read: (metric, statistic, from, to) => {
      const found = [...(watched.get(keyOf(metric))?.minutes ?? [])]
        .filter(([minute]) => minute >= from && minute < to)
        .map(([, points]) => points);
      return statisticOf(statistic, found);
    },
    passMinute: () => {
      current += 1;
    },
    get minute() {
      return current;
    },
  };
}
