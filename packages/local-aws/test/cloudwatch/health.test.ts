import { createCloudWatch } from '../../src/cloudwatch/create-cloudwatch.ts';
import { createFunctionActivity } from '../../src/cloudwatch/function-activity.ts';
import { createHealthReader } from '../../src/cloudwatch/health.ts';
import type { FunctionDefinition } from '../../src/lambda/function-definition.ts';
import type { QueueDepth } from '../../src/sqs/queue-messages.ts';
import { anAlarm } from './an-alarm.ts';

const START = Date.parse('2026-11-27T10:00:00Z');

const aFunction = (name: string): FunctionDefinition => ({
  name,
  arn: `arn:${name}`,
  handler: 'index.handler',
  runtime: 'nodejs24.x',
  codeDirectory: '/code',
  environment: { SECRET: 'never shown' },
  timeoutSeconds: 1,
  memoryMb: 128,
  roleArn: 'arn:role',
  logGroup: 'log',
});

const aQueue = (name: string, attributes = {}) => ({
  name,
  arn: `arn:${name}`,
  url: `http://q/${name}`,
  attributes,
});

function anAccount() {
  let now = START;
  const cloudWatch = createCloudWatch();
  const dimension = (Name: string, Value: string) => ({ Dimensions: [{ Name, Value }] });
  const properties = {
    Namespace: 'AWS/SQS',
    MetricName: 'ApproximateNumberOfMessagesVisible',
    Statistic: 'Maximum',
    ...dimension('QueueName', 'dead'),
  };
  cloudWatch.define({ ...anAlarm(properties), name: 'DeadLetters', description: 'Messages are lost.' });
  cloudWatch.define(
    anAlarm({ Namespace: 'AWS/Lambda', MetricName: 'Errors', ...dimension('FunctionName', 'work') }),
  );
  const activity = createFunctionActivity(cloudWatch, () => now);
  const depths: QueueDepth[] = [
    { name: 'work', visible: 1, inFlight: 2, delayed: 3, oldestAgeMs: 4_900 },
    { name: 'dead', visible: 0, inFlight: 0, delayed: 0, oldestAgeMs: undefined },
    { name: 'of-an-earlier-deployment', visible: 9, inFlight: 0, delayed: 0, oldestAgeMs: 1 },
  ];
  const redrive = { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: 'arn:dead', maxReceiveCount: 1 }) };
  const health = createHealthReader({
    cloudWatch,
    activity,
    functions: { all: () => [aFunction('work')], instancesOf: () => 2 },
    lambda: { created: () => [{ name: 'reactor', instances: 1 }] },
    queues: [aQueue('work', redrive), aQueue('dead')],
    sqs: { depths: () => Promise.resolve(depths) },
    now: () => now,
  });
  const pass = (seconds: number) => {
    now += seconds * 1000;
  };
  return { health, activity, depths, pass };
}

it('has the counts of all functions, the depths of the queues and the states of the alarms', async () => {
  const { health, activity, pass } = anAccount();
  activity.observer('work').ran(false, 10);
  pass(60);
  activity.observer('work').ran(true, 10);
  activity.observer('work').throttled();
  pass(5);
  expect(await health.read()).toEqual({
    since: '2026-11-27T10:00:00.000Z',
    now: '2026-11-27T10:01:05.000Z',
    functions: [
      { name: 'reactor', invocations: 0, errors: 0, throttles: 0, instances: 1, last_error_at: null },
      {
        name: 'work',
        invocations: 2,
        errors: 1,
        throttles: 1,
        instances: 2,
        last_error_at: '2026-11-27T10:01:00.000Z',
      },
    ],
    queues: [
      { name: 'dead', visible: 0, in_flight: 0, delayed: 0, oldest_age_seconds: null, dead_letter: true },
      { name: 'work', visible: 1, in_flight: 2, delayed: 3, oldest_age_seconds: 4, dead_letter: false },
    ],
    alarms: [
      {
        name: 'DeadLetters',
        description: 'Messages are lost.',
        state: 'INSUFFICIENT_DATA',
        reason: 'There is no datapoint in the last minute. Missing ones are no reason to change.',
      },
      expect.objectContaining({ name: 'Failing', state: 'INSUFFICIENT_DATA' }),
    ],
  });
});

it('a failed invocation and a dead letter ring their alarms when the minute is over', async () => {
  const { health, activity, depths } = anAccount();
  activity.observer('work').ran(true, 10);
  depths.splice(1, 1, { name: 'dead', visible: 2, inFlight: 0, delayed: 0, oldestAgeMs: 1 });
  await health.read();
  health.passMinute();
  const { alarms } = await health.read();
  expect(alarms.map(({ name, state }) => [name, state])).toEqual([
    ['DeadLetters', 'ALARM'],
    ['Failing', 'ALARM'],
  ]);
});

it('forgets the counts of a deleted function', async () => {
  const { health, activity } = anAccount();
  activity.observer('deleted').ran(true, 1);
  await health.read();
  expect(activity.countsOf('deleted').invocations).toBe(0);
});
