import { createMetricStore } from '../../src/cloudwatch/metric-store.ts';
import { parseStatistic, type Statistic } from '../../src/cloudwatch/statistic.ts';

const metric = { namespace: 'App', name: 'Latency', dimensions: { service: 'a', route: 'b' } };

function statistic(name: string): Statistic {
  const parsed = parseStatistic(name);
  if (parsed === undefined) throw new Error(name);
  return parsed;
}

function aStore(minutes: readonly (readonly number[])[], watched = 'p50') {
  const store = createMetricStore();
  store.watch(metric, statistic(watched), 10);
  for (const values of minutes) {
    for (const value of values) store.find(metric)?.add(value);
    store.passMinute();
  }
  return store;
}

it.each([
  ['SampleCount', 4],
  ['Sum', 10],
  ['Average', 2.5],
  ['Minimum', 1],
  ['Maximum', 4],
  ['p50', 2],
  ['p75', 3],
  ['p99.9', 4],
  ['p100', 4],
])('reads the %s of the data points of a period', (name, expected) => {
  expect(aStore([[9], [4, 1], [], [3, 2], [9]]).read(metric, statistic(name), 1, 4)).toBe(expected);
});

it.each(['p101', 'tm90', 'IQM', 'Median', 'constructor', 'p'])('does not read the statistic %s', (name) => {
  expect(parseStatistic(name)).toBeUndefined();
});

it('a period without data points has no value', () => {
  const store = aStore([[1], [], [1]]);
  expect(['Sum', 'SampleCount', 'p50'].map((name) => store.read(metric, statistic(name), 1, 2))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

it('a metric is one, in whatever order its dimensions are named', () => {
  const other = { ...metric, dimensions: { route: 'b', service: 'a' } };
  expect(aStore([[7]]).read(other, 'Sum', 0, 1)).toBe(7);
});

it('a metric that nothing watches is not stored', () => {
  const store = aStore([]);
  expect(store.find({ ...metric, dimensions: { service: 'a' } })).toBeUndefined();
  expect(store.find({ ...metric, name: 'Other' })).toBeUndefined();
});

it('minutes that no alarm looks at are dropped', () => {
  const store = aStore(Array.from({ length: 30 }, () => [1]));
  expect(store.read(metric, 'Sum', 0, 19)).toBeUndefined();
  expect(store.read(metric, 'Sum', 0, 30)).toBe(11);
});

it('a percentile costs as little memory for many values as for few', () => {
  const store = aStore([Array.from({ length: 20_000 }, (_, index) => index + 1)]);
  const p90 = store.read(metric, statistic('p90'), 0, 1) ?? 0;
  expect(Math.abs(p90 - 18_000) / 18_000).toBeLessThan(0.005);
});
