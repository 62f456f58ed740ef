import type { InvocationOutcome } from '../../src/lambda/function-definition.ts';
import { type ScheduleRunnerOptions, runSchedules } from '../../src/schedules/run-schedules.ts';
import { type ScheduleDefinition, createScheduleTable } from '../../src/schedules/schedule-table.ts';

const arn = 'arn:aws:events:us-east-1:000000000000:rule/Sweep';

let stop: () => void;
let log: string[];

beforeEach(() => {
  jest.useFakeTimers();
  log = [];
});

afterEach(() => {
  stop();
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
  stop = runSchedules({
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

it('every tick is reported, and none after the stop', async () => {
  const onTick = jest.fn();
  run([], { onTick });
  await jest.advanceTimersByTimeAsync(1000);
  stop();
  await jest.advanceTimersByTimeAsync(5000);
  expect(onTick.mock.calls).toEqual([[1], [2]]);
});
