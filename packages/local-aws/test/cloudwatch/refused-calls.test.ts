import { AwsError, type AwsCall } from '../../src/aws-service.ts';
import { observeThrottles, throttleMetricOf } from '../../src/cloudwatch/refused-calls.ts';
import { createFaults } from '../../src/faults/create-faults.ts';

const call = (service: string, body = {}): AwsCall => ({
  service,
  method: 'POST',
  path: '/',
  query: new URLSearchParams(),
  headers: {},
  target: undefined,
  body: Buffer.from(JSON.stringify(body)),
  principal: { kind: 'administrator' },
});

async function throttledBy(fault: string, made: AwsCall, action: string): Promise<readonly string[]> {
  const faults = createFaults(1);
  faults.replace([fault]);
  const seen: string[] = [];
  const observed = observeThrottles(faults.calls, (_call, refused) => seen.push(refused));
  const response = { status: 200, headers: {}, body: '' };
  for (let count = 0; count < 20; count += 1)
    await observed.carryOut(made, action, () => Promise.resolve(response)).catch(() => undefined);
  return [...new Set(seen)];
}

it.each([
  ['dynamodb:throttle:1', 'dynamodb', 'PutItem'],
  ['dynamodb:throttle:1', 'dynamodb', 'TransactWriteItems'],
  ['lambda:busy:1', 'lambda', 'InvokeFunction'],
])('sees what %s refuses of %s', async (fault, service, action) => {
  expect(await throttledBy(fault, call(service, { TransactItems: [{}, {}] }), action)).toEqual([action]);
});

it.each(['dynamodb:error:1', 'dynamodb:down:1', 'dynamodb:conflict:1', 'dynamodb:latency:1'])(
  'sees no throttled call under %s',
  async (fault) => {
    expect(await throttledBy(fault, call('dynamodb', { TransactItems: [{}] }), 'PutItem')).toEqual([]);
  },
);

it('does not count a refusal of the service itself twice', async () => {
  const seen: string[] = [];
  const observed = observeThrottles(createFaults(1).calls, (_call, action) => seen.push(action));
  const refused = new AwsError('TooManyRequestsException', 429, 'Rate Exceeded.');
  await expect(
    observed.carryOut(call('lambda'), 'InvokeFunction', () => Promise.reject(refused)),
  ).rejects.toBe(refused);
  expect(seen).toEqual([]);
});

it.each([
  ['Query', 'arn:aws:dynamodb:r:1:table/T/index/i', 'ReadThrottleEvents', { GlobalSecondaryIndexName: 'i' }],
  ['BatchGetItem', 'arn:aws:dynamodb:r:1:table/T', 'ReadThrottleEvents', {}],
  ['TransactWriteItems', 'arn:aws:dynamodb:r:1:table/T', 'WriteThrottleEvents', {}],
])('a throttled %s of %s counts as %s', (action, resource, name, index) => {
  expect(throttleMetricOf(action, { action: `dynamodb:${action}`, resource })).toEqual({
    namespace: 'AWS/DynamoDB',
    name,
    dimensions: { TableName: 'T', ...index },
  });
});
