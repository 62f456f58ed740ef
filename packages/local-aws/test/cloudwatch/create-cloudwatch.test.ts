import { createCloudWatch, type CloudWatch } from '../../src/cloudwatch/create-cloudwatch.ts';
import { parseFilterPattern, parseMetricValue } from '../../src/cloudwatch/filter-pattern.ts';
import { anAlarm } from './an-alarm.ts';

const failures = { namespace: 'App', name: 'Failures', dimensions: {} };

function withAlarm(properties: Readonly<Record<string, unknown>> = {}): CloudWatch {
  const cloudWatch = createCloudWatch();
  cloudWatch.define(anAlarm(properties));
  return cloudWatch;
}

const stateOf = (cloudWatch: CloudWatch) => cloudWatch.alarms()[0]?.state;

function passMinutes(cloudWatch: CloudWatch, minutes: number): void {
  for (let minute = 0; minute < minutes; minute += 1) cloudWatch.passMinute();
}

/** A line as a library of AWS prints it. */
const line = (members: object, metrics: object = {}) =>
  JSON.stringify({
    _aws: {
      Timestamp: 0,
      CloudWatchMetrics: [
        { Namespace: 'App', Dimensions: [['service']], Metrics: [{ Name: 'Failures' }], ...metrics },
      ],
    },
    service: 'sweeper',
    ...members,
  });

it('an alarm looks at whole minutes: the current one may still change', () => {
  const cloudWatch = withAlarm();
  cloudWatch.find(failures)?.add(1);
  expect(stateOf(cloudWatch)).toBe('INSUFFICIENT_DATA');
  cloudWatch.passMinute();
  expect(cloudWatch.alarms()).toEqual([
    {
      name: 'Failing',
      description: '',
      state: 'ALARM',
      reason: '1 of the last 1 datapoint [1] is at least 1; the alarm needs 1 of 1.',
    },
  ]);
});

it('a period of several minutes slides with each minute', () => {
  const cloudWatch = withAlarm({ Period: 180, Threshold: 2, TreatMissingData: 'notBreaching' });
  const states: unknown[] = [];
  for (const values of [[1], [1], [], [], [0], [0], [0]]) {
    for (const value of values) cloudWatch.find(failures)?.add(value);
    cloudWatch.passMinute();
    states.push(stateOf(cloudWatch));
  }
  expect(states).toEqual(['OK', 'ALARM', 'ALARM', 'OK', 'OK', 'OK', 'OK']);
});

it('an alarm on an expression evaluates it for each period', () => {
  const query = (Id: string, MetricName: string) => ({
    Id,
    ReturnData: false,
    MetricStat: { Metric: { Namespace: 'App', MetricName }, Period: 60, Stat: 'Sum' },
  });
  const cloudWatch = withAlarm({
    Threshold: 50,
    Metrics: [
      { Id: 'e', Expression: '100 * FILL(f, 0) / r', Label: 'percent' },
      query('f', 'Failures'),
      query('r', 'Requests'),
    ],
  });
  for (const value of [1, 1]) cloudWatch.find({ ...failures, name: 'Requests' })?.add(value);
  cloudWatch.passMinute();
  expect(stateOf(cloudWatch)).toBe('OK');
  cloudWatch.find({ ...failures, name: 'Requests' })?.add(2);
  cloudWatch.find(failures)?.add(1);
  cloudWatch.passMinute();
  expect(stateOf(cloudWatch)).toBe('ALARM');
});

it('an alarm that ignores missing data stays as it was, however late someone asks', () => {
  const cloudWatch = withAlarm({ TreatMissingData: 'ignore' });
  cloudWatch.find(failures)?.add(1);
  passMinutes(cloudWatch, 30);
  expect(stateOf(cloudWatch)).toBe('ALARM');
  cloudWatch.find(failures)?.add(0);
  passMinutes(cloudWatch, 30);
  expect(stateOf(cloudWatch)).toBe('OK');
});

it.each([
  [{ Namespace: 'AWS/Usage', MetricName: 'CallCount' }, 'AWS/Usage CallCount is not measured locally.'],
  [
    { Namespace: 'AWS/Lambda', MetricName: 'Errors', Dimensions: [{ Name: 'Resource', Value: 'f:live' }] },
    'AWS/Lambda Errors by Resource is not measured locally.',
  ],
])('an alarm on %j has no state, and says why', (metric, reason) => {
  expect(withAlarm(metric).alarms()).toMatchObject([{ state: 'INSUFFICIENT_DATA', reason }]);
});

it('an alarm on the metric of a filter counts the lines of its log group that match', () => {
  const cloudWatch = withAlarm({ Threshold: 2 });
  const matches = parseFilterPattern('{ $.code = "x" }');
  cloudWatch.defineFilter({
    namespace: 'App',
    name: 'Failures',
    logGroup: 'tokens',
    matches,
    valueIn: () => 1,
  });
  for (const [logGroup, code] of [
    ['tokens', 'x'],
    ['tokens', 'y'],
    ['proxy', 'x'],
    [undefined, 'x'],
    ['tokens', 'x'],
  ] as const)
    cloudWatch.logged(logGroup, JSON.stringify({ code }));
  cloudWatch.passMinute();
  expect(cloudWatch.alarms()).toMatchObject([{ state: 'ALARM', reason: expect.stringMatching(/ \[2\] is/) }]);
});

it('an alarm on the metric of a filter adds up a value of the lines', () => {
  const cloudWatch = withAlarm({ Threshold: 7 });
  const matches = parseFilterPattern('{ $.count > 0 }');
  const filter = { namespace: 'App', name: 'Failures', logGroup: 'tokens', matches };
  cloudWatch.defineFilter({ ...filter, valueIn: parseMetricValue('$.count') });
  for (const count of [3, 0, 4]) cloudWatch.logged('tokens', JSON.stringify({ count }));
  cloudWatch.passMinute();
  expect(cloudWatch.alarms()).toMatchObject([{ state: 'ALARM', reason: expect.stringMatching(/ \[7\] is/) }]);
});

it('a printed line in the embedded metric format adds its data points', () => {
  const cloudWatch = withAlarm({ Dimensions: [{ Name: 'service', Value: 'sweeper' }], Threshold: 6 });
  cloudWatch.logged(undefined, line({ Failures: 1 }));
  cloudWatch.logged(undefined, line({ Failures: [2, 3] }));
  cloudWatch.passMinute();
  expect(cloudWatch.alarms()).toMatchObject([{ state: 'ALARM', reason: expect.stringMatching(/ \[6\] is/) }]);
});

it.each([
  ['another service', line({ Failures: 1, service: 'other' })],
  ['a line without its dimension', line({ Failures: 1, service: undefined })],
  ['another namespace', line({ Failures: 1 }, { Namespace: 'Other' })],
  ['text as a value', line({ Failures: '1' })],
  ['too many values', line({ Failures: Array(101).fill(1) })],
  ['a line that is cut', line({ Failures: 1 }).slice(0, -3)],
  ['a line with other members', line({ Failures: 1 }, { Metrics: 'Failures' })],
])('%s adds nothing to the metric', (_name, printed) => {
  const cloudWatch = withAlarm({ Dimensions: [{ Name: 'service', Value: 'sweeper' }] });
  cloudWatch.logged(undefined, printed);
  cloudWatch.passMinute();
  expect(cloudWatch.alarms()).toMatchObject([{ reason: expect.stringMatching(/^There is no datapoint/) }]);
});

it.each([
  [{ Statistic: 'tm90' }, 'the statistic tm90 does not run locally'],
  [{ Period: 10 }, 'Period'],
  [{ Unit: 'Seconds' }, 'Unit'],
  [{ ComparisonOperator: 'GreaterThanUpperThreshold' }, 'ComparisonOperator'],
  [{ Statistic: undefined }, 'an alarm without Metrics needs'],
  [{ DatapointsToAlarm: 2 }, 'DatapointsToAlarm must be at most'],
  [{ Metrics: [{ Id: 'e', Expression: 'm1' }] }, 'm1 in "m1" is no metric of the alarm'],
])('an alarm with %j cannot run locally', (properties, message) => {
  expect(() => anAlarm(properties)).toThrow(message);
});
