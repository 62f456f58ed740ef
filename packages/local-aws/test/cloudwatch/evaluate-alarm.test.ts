import { evaluateAlarm, type AlarmState, type Datapoint } from '../../src/cloudwatch/evaluate-alarm.ts';
import { anAlarm } from './an-alarm.ts';

const POINTS: Readonly<Record<string, Datapoint>> = { 0: 0, X: 1, '-': 'missing', '.': 'before' };

/** The data points of a row, as the documentation writes them. */
const points = (row: string): readonly Datapoint[] =>
  row.split(' ').map((each) => POINTS[each] ?? Number(each));

function stateOf(row: string, properties: object, current: AlarmState = 'OK'): AlarmState {
  return evaluateAlarm(anAlarm({ EvaluationPeriods: 3, ...properties }), points(row), current).state;
}

const RETAIN = 'retain';
const TREATMENTS = ['missing', 'ignore', 'breaching', 'notBreaching'] as const;

// CloudWatch User Guide, How alarm state is evaluated when data is missing: its tables for 3 of 3
// and 2 of 3 data points.
const rows = [
  [3, '0 - X - X', ['OK', 'OK', 'OK', 'OK']],
  [3, '0 - - - -', ['OK', 'OK', 'OK', 'OK']],
  [3, '- - - - -', ['INSUFFICIENT_DATA', RETAIN, 'ALARM', 'OK']],
  [3, '0 X X - X', ['ALARM', 'ALARM', 'ALARM', 'ALARM']],
  [3, '- - X - -', ['ALARM', RETAIN, 'ALARM', 'OK']],
  [2, '0 - X - X', ['ALARM', 'ALARM', 'ALARM', 'ALARM']],
  [2, '0 0 X 0 X', ['ALARM', 'ALARM', 'ALARM', 'ALARM']],
  [2, '0 - X - -', ['OK', 'OK', 'ALARM', 'OK']],
  [2, '- - - - 0', ['OK', 'OK', 'ALARM', 'OK']],
  [2, '- - - X -', ['ALARM', RETAIN, 'ALARM', 'OK']],
] as const;

it.each(rows)('an alarm of %i out of 3 treats %s as AWS documents', (DatapointsToAlarm, row, expected) => {
  for (const current of ['OK', 'ALARM', 'INSUFFICIENT_DATA'] as const)
    expect(
      TREATMENTS.map((TreatMissingData) => stateOf(row, { DatapointsToAlarm, TreatMissingData }, current)),
    ).toEqual(expected.map((state) => (state === RETAIN ? current : state)));
});

it.each(['- - - - X', '- - - X -'])(
  'an alarm does not ring for the only value of %s, which the next one may refute',
  (row) => {
    expect(stateOf(row, { TreatMissingData: 'missing' })).toBe('INSUFFICIENT_DATA');
  },
);

it('an alarm looks only at its evaluation periods if no data point is missing', () => {
  expect(stateOf('X X 0 0 0', { DatapointsToAlarm: 1 })).toBe('OK');
  expect(stateOf('X X 0 0 X', { DatapointsToAlarm: 1 })).toBe('ALARM');
});

it.each([
  ['GreaterThanOrEqualToThreshold', '4 5 6', ['OK', 'ALARM', 'ALARM']],
  ['GreaterThanThreshold', '4 5 6', ['OK', 'OK', 'ALARM']],
  ['LessThanOrEqualToThreshold', '4 5 6', ['ALARM', 'ALARM', 'OK']],
  ['LessThanThreshold', '4 5 6', ['ALARM', 'OK', 'OK']],
])('%s compares each value with the threshold', (ComparisonOperator, values, expected) => {
  const properties = { ComparisonOperator, Threshold: 5, EvaluationPeriods: 1 };
  expect(values.split(' ').map((value) => stateOf(`0 0 ${value}`, properties))).toEqual(expected);
});

it('an alarm that missing data rings does not ring for the time before the account existed', () => {
  const silence = { TreatMissingData: 'breaching' };
  expect(stateOf('. . . . .', silence)).toBe('INSUFFICIENT_DATA');
  expect(stateOf('. . - - X', silence)).toBe('ALARM');
  expect(stateOf('. . . - X', silence)).toBe('INSUFFICIENT_DATA');
  expect(stateOf('. . . . 0', silence)).toBe('OK');
});

it('a reason names the values, the threshold and what is missing', () => {
  const alarm = anAlarm({ EvaluationPeriods: 3, DatapointsToAlarm: 2, TreatMissingData: 'notBreaching' });
  const reasonOf = (row: string) => evaluateAlarm(alarm, points(row), 'OK').reason;
  expect(reasonOf('0 0 0 2.5 1')).toBe(
    '2 of the last 3 datapoints [0, 2.5, 1] are at least 1; the alarm needs 2 of 3.',
  );
  expect(reasonOf('- - - - X')).toBe(
    '1 of the last 1 datapoint [1] is at least 1; the alarm needs 2 of 3. Missing ones do not count.',
  );
  expect(reasonOf('- - - - -')).toBe(
    'There is no datapoint in the last 3 minutes. Missing ones do not count.',
  );
});
