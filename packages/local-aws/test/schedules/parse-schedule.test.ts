import { parseSchedule } from '../../src/schedules/parse-schedule.ts';

const dueMinutes = (expression: string, minutes: number): number[] =>
  Array.from({ length: minutes }, (_, index) => index + 1).filter((minute) =>
    parseSchedule(expression)(minute, new Date(0)),
  );

it.each([
  ['rate(1 minute)', 4, [1, 2, 3, 4]],
  ['rate(2 minutes)', 6, [2, 4, 6]],
  ['rate(1 hour)', 130, [60, 120]],
  ['rate(1 day)', 2000, [1440]],
])('%s is due in its minutes', (expression, until, expected) => {
  expect(dueMinutes(expression, until)).toEqual(expected);
});

it.each([
  ['cron(0 3 * * ? *)', '2030-06-15T03:00:00Z', true],
  ['cron(0 3 * * ? *)', '2030-06-15T03:01:00Z', false],
  ['cron(*/15 * * * ? *)', '2030-06-15T03:45:00Z', true],
  ['cron(5/20 * * * ? *)', '2030-06-15T03:45:00Z', true],
  ['cron(5/20 * * * ? *)', '2030-06-15T03:40:00Z', false],
  ['cron(0 9-17 ? * MON-FRI *)', '2030-06-14T12:00:00Z', true],
  ['cron(0 9-17 ? * MON-FRI *)', '2030-06-15T12:00:00Z', false],
  ['cron(0 0 1 JAN,JUL ? 2030)', '2030-07-01T00:00:00Z', true],
  ['cron(0 0 1 JAN,JUL ? 2030)', '2031-07-01T00:00:00Z', false],
])('%s at %s is due: %s', (expression, time, expected) => {
  expect(parseSchedule(expression)(1, new Date(time))).toBe(expected);
});

it.each([
  'at(2030-01-01T00:00:00)',
  'rate(0 minutes)',
  'rate(x)',
  'cron(0 3 * * *)',
  'cron(0 0 L * ? *)',
  'cron(61 * * * ? *)',
  'cron(*/0 * * * ? *)',
])('%s is rejected', (expression) => {
  expect(() => parseSchedule(expression)).toThrow(Error);
});
