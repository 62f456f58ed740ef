import type { InvocationOutcome } from '../../src/lambda/function-definition.ts';
import {
  type RunningSchedules,
  type ScheduleRunnerOptions,
  runSchedules,
} from '../../src/schedules/run-schedules.ts';
import { type ScheduleDefinition, createScheduleTable } from '../../src/schedules/schedule-table.ts';

const arn = 'arn:aws:events:us-east-1:000000000000:rule/Sweep';

let running: RunningSchedules;
let log: string[];

beforeEach(() => {
  jest.useFakeTimers();
  log = [];
});

afterEach(() => {
  running.stop();
  jest.useRealTimers();
});

function run(
  schedules: readonly Partial<ScheduleDefinition>[],
  options: Partial<ScheduleRunnerOptions> = {},
): jest.Mock {
  const invoke = jest.fn().mockResolvedValue({ failed: false, payload: 'null' });
  const table = createScheduleTable();
  for (const schedule of schedules)
    table.add({
      arn,
      expression: 'rate(1 minute)',
      functionArn: 'fn',
      ...schedule,
    });
  running = runSchedules({
    schedules: table.all(),
    tickSeconds: 0.5,
    accountId: '000000000000',
    region: 'us-east-1',
    invoke,
    isPermitted: () => true,
    log: (line) => log.push(line),
    ...options,
  });
  return invoke;
}

it('a minute lasts as long as the tick', async () => {
  const invoke = run([{ input: '{"every":1}' }, { input: '{"every":3}', expression: 'rate(3 minutes)' }]);
  await jest.advanceTimersByTimeAsync(3000);
  const inputs = invoke.mock.calls.map(([, payload]: string[]) => payload);
  expect(inputs.filter((input) => input === '{"every":1}')).toHaveLength(6);
  expect(inputs.filter((input) => input === '{"every":3}')).toHaveLength(2);
});

it('a function gets the standard event from a schedule without an input', async () => {
  const invoke = run([{}]);
  await jest.advanceTimersByTimeAsync(500);
  const [functionArn, payload] = invoke.mock.calls[0] as [string, string];
  expect(functionArn).toBe('fn');
  expect(JSON.parse(payload)).toEqual({
    version: '0',
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: '000000000000',
    time: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/),
    region: 'us-east-1',
    resources: [arn],
    detail: {},
  });
});

it('a schedule skips runs while one is in progress, and no other schedule does', async () => {
  const { promise, resolve } = Promise.withResolvers<InvocationOutcome>();
  const done = { failed: false, payload: 'null' };
  const invoke = jest.fn((functionArn: string) => (functionArn === 'slow' ? promise : Promise.resolve(done)));
  const callsOf = (name: string) => invoke.mock.calls.filter(([functionArn]) => functionArn === name).length;
  run([{ functionArn: 'slow' }, { functionArn: 'fast' }], { invoke });
  await jest.advanceTimersByTimeAsync(1500);
  expect([callsOf('slow'), callsOf('fast')]).toEqual([1, 3]);
  resolve(done);
  await jest.advanceTimersByTimeAsync(1000);
  expect([callsOf('slow'), callsOf('fast')]).toEqual([3, 5]);
});

it('failures are logged and the clock continues', async () => {
  const invoke = jest
    .fn()
    .mockResolvedValueOnce({ failed: true, payload: '{"errorMessage":"boom"}' })
    .mockRejectedValueOnce(new Error('throttled'))
    .mockResolvedValue({ failed: false, payload: 'null' });
  run([{}], { invoke });
  await jest.advanceTimersByTimeAsync(1500);
  expect(invoke).toHaveBeenCalledTimes(3);
  expect(log).toEqual([`${arn}: {"errorMessage":"boom"}`, `${arn}: throttled`]);
});

it('a schedule without permission to invoke its function does not', async () => {
  const invoke = run([{}], { isPermitted: () => false });
  await jest.advanceTimersByTimeAsync(500);
  expect(invoke).not.toHaveBeenCalled();
  expect(log).toEqual([`${arn} may not invoke fn`]);
});

it('minutes that pass are reported, and none after the stop', async () => {
  const onMinutes = jest.fn();
  run([], { onMinutes });
  await jest.advanceTimersByTimeAsync(1000);
  running.advance(90);
  await jest.advanceTimersByTimeAsync(500);
  running.stop();
  running.advance(60);
  await jest.advanceTimersByTimeAsync(5000);
  expect(onMinutes.mock.calls).toEqual([
    [0, 1],
    [1, 2],
    [2, 92],
    [92, 93],
  ]);
});

describe('an advance', () => {
  it('runs each schedule that is due in its minutes once', async () => {
    const schedules = ['rate(1 minute)', 'rate(1 hour)', 'cron(0 3 * * ? *)', 'rate(2 days)'];
    const invoke = run(schedules.map((expression) => ({ expression, functionArn: expression })));
    const inMinutes = (minutes: number): string[] => {
      invoke.mockClear();
      running.advance(minutes);
      return invoke.mock.calls.map(([functionArn]: string[]) => String(functionArn));
    };
    const found: string[][] = [];
    for (const minutes of [0, 1, 59, 24 * 60, 2 * 24 * 60]) {
      found.push(inMinutes(minutes));
      // The running invocation ends.
      await jest.advanceTimersByTimeAsync(0);
    }
    expect(found.map((each) => each.length)).toEqual([0, expect.any(Number), expect.any(Number), 3, 4]);
    expect(found[1]).toContain('rate(1 minute)');
    expect(found[2]).toContain('rate(1 hour)');
  });

  it('runs a schedule again after the execution that runs', async () => {
    const { promise, resolve } = Promise.withResolvers<InvocationOutcome>();
    const invoke = jest.fn(() => promise);
    run([{}], { invoke });
    running.advance(5);
    running.advance(5);
    running.advance(5);
    expect(invoke).toHaveBeenCalledTimes(1);
    resolve({ failed: false, payload: 'null' });
    await jest.advanceTimersByTimeAsync(0);
    expect(invoke).toHaveBeenCalledTimes(2);
  });

  it('does not run a schedule again that is removed while it runs', async () => {
    const { promise, resolve } = Promise.withResolvers<InvocationOutcome>();
    const invoke = jest.fn(() => promise);
    const table = createScheduleTable();
    table.add({ arn, expression: 'rate(1 minute)', functionArn: 'fn' });
    run([], { invoke, schedules: table.all() });
    running.advance(5);
    running.advance(5);
    table.remove(arn);
    resolve({ failed: false, payload: 'null' });
    await jest.advanceTimersByTimeAsync(0);
    expect(invoke).toHaveBeenCalledTimes(1);
  });
});
