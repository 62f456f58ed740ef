import { AwsError, type AwsCall, type AwsResponse } from '../../src/aws-service.ts';
import { createFaults } from '../../src/faults/create-faults.ts';

const OK: AwsResponse = { status: 200, headers: {}, body: '{"ok":true}' };

function aCall(service: string, body: object = {}): AwsCall {
  return {
    service,
    method: 'POST',
    path: '/',
    query: new URLSearchParams(),
    headers: {},
    target: undefined,
    body: Buffer.from(JSON.stringify(body)),
    principal: { kind: 'role', roleArn: 'arn:aws:iam::000000000000:role/fn' },
  };
}

interface Outcome {
  /** The response, `cut`, or the code of the failure. */
  readonly result: unknown;
  /** Bodies of the calls that reached the service. */
  readonly carriedOut: readonly unknown[];
}

async function under(
  faults: readonly string[],
  action: string,
  call: AwsCall,
  {
    seed = 1,
    answer: response = OK,
  }: { readonly seed?: number; readonly answer?: AwsResponse | AwsError } = {},
): Promise<Outcome> {
  const injected = createFaults(seed);
  injected.replace(faults);
  const carriedOut: unknown[] = [];
  const result = await injected.calls
    .carryOut(call, action, ({ body }) => {
      carriedOut.push(JSON.parse(body.toString()));
      return response instanceof AwsError ? Promise.reject(response) : Promise.resolve(response);
    })
    .catch((error: unknown) => (error instanceof AwsError ? `${error.code} ${String(error.status)}` : error));
  return { result, carriedOut };
}

it('a call is executed unchanged without a fault', async () => {
  expect(await under([], 'PutItem', aCall('dynamodb', { a: 1 }))).toEqual({
    result: OK,
    carriedOut: [{ a: 1 }],
  });
});

it.each([
  ['dynamodb:throttle:1', 'PutItem', 'dynamodb', 'ProvisionedThroughputExceededException 400'],
  ['dynamodb:error:1', 'PutItem', 'dynamodb', 'InternalServerError 500'],
  ['dynamodb:conflict:1', 'PutItem', 'dynamodb', 'TransactionConflictException 400'],
  ['kms:throttle:1', 'Decrypt', 'kms', 'ThrottlingException 400'],
  ['kms:error:1', 'Decrypt', 'kms', 'KMSInternalException 500'],
  ['kms:down:1', 'Decrypt', 'kms', 'cut'],
  ['lambda:throttle:1', 'CreateAlias', 'lambda', 'TooManyRequestsException 429'],
  ['lambda:busy:1', 'InvokeFunction', 'lambda', 'TooManyRequestsException 429'],
  ['lambda:error:1', 'InvokeFunction', 'lambda', 'ServiceException 500'],
  ['sqs:throttle:1', 'SendMessage', 'sqs', 'RequestThrottled 400'],
  ['sqs:error:1', 'SendMessage', 'sqs', 'InternalFailure 500'],
])('%s: %s is not executed', async (fault, action, service, result) => {
  expect(await under([fault], action, aCall(service))).toEqual({ result, carriedOut: [] });
});

it.each([
  ['dynamodb:throttle:1', 'Decrypt', 'kms'],
  ['dynamodb/PutItem:throttle:1', 'GetItem', 'dynamodb'],
  ['dynamodb:conflict:1', 'GetItem', 'dynamodb'],
  ['lambda:throttle:1', 'InvokeFunction', 'lambda'],
  ['lambda:busy:1', 'GetFunction', 'lambda'],
  ['sqs:duplicate:1', 'DeleteMessage', 'sqs'],
  ['dynamodb:throttle:0', 'PutItem', 'dynamodb'],
])('%s does not affect %s of %s', async (fault, action, service) => {
  expect((await under([fault], action, aCall(service))).result).toBe(OK);
});

it('a lost response belongs to an executed call, and appears as a cut connection or a failure', async () => {
  const results = new Set<unknown>();
  for (let seed = 0; seed < 40; seed += 1) {
    const { result, carriedOut } = await under(['sqs:lost-answer:1'], 'SendMessage', aCall('sqs'), { seed });
    expect(carriedOut).toHaveLength(1);
    results.add(result);
  }
  expect(results).toEqual(new Set(['cut', 'InternalFailure 500']));
});

it('the response to a rejected call can be lost as well', async () => {
  const response = new AwsError('ConditionalCheckFailedException', 400, 'no');
  const lost = await under(['dynamodb:lost-answer:1'], 'PutItem', aCall('dynamodb'), { answer: response });
  expect(['cut', 'InternalServerError 500']).toContain(lost.result);
});

it('a probability holds over many calls', async () => {
  const faults = createFaults(3);
  faults.replace(['kms:error:0.25']);
  let failures = 0;
  for (let calls = 0; calls < 2000; calls += 1)
    await faults.calls
      .carryOut(aCall('kms'), 'Decrypt', () => Promise.resolve(OK))
      .catch(() => (failures += 1));
  expect(failures).toBeGreaterThan(400);
  expect(failures).toBeLessThan(600);
});

it('latency delays request and response by its sum', async () => {
  const steps: (number | 'call')[] = [];
  const faults = createFaults(1, (ms) => Promise.resolve(steps.push(ms)));
  faults.replace(['dynamodb:latency:80', 'dynamodb:latency:20']);
  await faults.calls.carryOut(aCall('dynamodb'), 'GetItem', () => {
    steps.push('call');
    return Promise.resolve(OK);
  });
  expect(steps).toEqual([expect.any(Number), 'call', expect.any(Number)]);
  const delays = steps.filter((step) => step !== 'call');
  expect(delays.every((ms) => ms > 0)).toBe(true);
  expect(delays.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(100, 6);
});

describe('a throttled transaction', () => {
  const transaction = aCall('dynamodb', { TransactItems: [{ Put: {} }, { Delete: {} }] });

  it('is rejected as a whole or cancelled with one reason for each item', async () => {
    const results = new Set<unknown>();
    for (let seed = 0; seed < 40; seed += 1)
      results.add((await under(['dynamodb:throttle:1'], 'TransactWriteItems', transaction, { seed })).result);
    expect(results).toEqual(
      new Set(['ProvisionedThroughputExceededException 400', 'TransactionCanceledException 400']),
    );
  });

  it('names the item that another transaction is writing', async () => {
    const faults = createFaults(1);
    faults.replace(['dynamodb:conflict:1']);
    const refused = faults.calls.carryOut(transaction, 'TransactWriteItems', () => Promise.resolve(OK));
    const { fields } = await refused.then(
      () => new AwsError('none', 0, ''),
      (error: unknown) => error as AwsError,
    );
    const codes = (fields['CancellationReasons'] as { Code: string }[]).map(({ Code }) => Code);
    expect(codes.toSorted()).toEqual(['None', 'TransactionConflict']);
  });
});

describe('messages', () => {
  it('are duplicated', async () => {
    const { result, carriedOut } = await under(
      ['sqs:duplicate:1'],
      'SendMessage',
      aCall('sqs', { MessageBody: 'x' }),
    );
    expect([result, carriedOut]).toEqual([OK, [{ MessageBody: 'x' }, { MessageBody: 'x' }]]);
  });

  it('are delayed, by whole seconds in addition to their own delay', async () => {
    const seen = new Set<number>();
    for (let seed = 0; seed < 60; seed += 1) {
      const call = aCall('sqs', { MessageBody: 'x', DelaySeconds: 5 });
      const { carriedOut } = await under(['sqs:delay:2000'], 'SendMessage', call, { seed });
      seen.add((carriedOut[0] as { DelaySeconds: number }).DelaySeconds);
    }
    expect([...seen].toSorted((a, b) => a - b)).toEqual([5, 6, 7]);
  });
});

describe('a partial batch', () => {
  it('reads some keys and returns the others as unprocessed', async () => {
    const Keys = [1, 2, 3].map((n) => ({ pk: { N: String(n) } }));
    const call = aCall('dynamodb', { RequestItems: { T: { Keys, ConsistentRead: true } } });
    const response: AwsResponse = { ...OK, body: '{"Responses":{"T":[]},"UnprocessedKeys":{}}' };
    const { result, carriedOut } = await under(['dynamodb:partial:1'], 'BatchGetItem', call, {
      answer: response,
    });
    expect(carriedOut).toEqual([{ RequestItems: { T: { Keys: Keys.slice(0, 1), ConsistentRead: true } } }]);
    expect(JSON.parse((result as AwsResponse).body.toString())).toEqual({
      Responses: { T: [] },
      UnprocessedKeys: { T: { Keys: Keys.slice(1), ConsistentRead: true } },
    });
  });

  it('writes some items and returns the others as unprocessed', async () => {
    const RequestItems = { A: [{ DeleteRequest: 1 }], B: [{ PutRequest: 2 }] };
    const response: AwsResponse = { ...OK, body: '{"UnprocessedItems":{}}' };
    const call = aCall('dynamodb', { RequestItems });
    const { result, carriedOut } = await under(['dynamodb:partial:1'], 'BatchWriteItem', call, {
      answer: response,
    });
    expect(carriedOut).toEqual([{ RequestItems: { A: RequestItems.A } }]);
    expect(JSON.parse((result as AwsResponse).body.toString())).toEqual({
      UnprocessedItems: { B: RequestItems.B },
    });
  });

  it('throttles a malformed statement without a table', async () => {
    const injected = createFaults(4);
    injected.replace(['dynamodb:partial:1']);
    const Statements = [{ Statement: 'first' }, { Statement: 'nonsense' }];
    const response = await injected.calls.carryOut(
      aCall('dynamodb', { Statements }),
      'BatchExecuteStatement',
      () => Promise.resolve({ ...OK, body: JSON.stringify({ Responses: [{}] }) }),
    );
    expect(JSON.parse((response as AwsResponse).body.toString())).toEqual({
      Responses: [{}, { Error: { Code: 'ThrottlingError', Message: expect.any(String) as string } }],
    });
  });

  it('executes some statements, and throttles the others in their places', async () => {
    const Statements = ['A', 'B', 'C', 'D', 'E', 'F'].map((table) => ({
      Statement: `INSERT INTO "${table}" VALUE {'id': ?}`,
      Parameters: [{ S: table }],
    }));
    const injected = createFaults(4);
    injected.replace(['dynamodb:partial:0.5']);
    const carriedOut: string[] = [];
    const response = await injected.calls.carryOut(
      aCall('dynamodb', { Statements, ReturnConsumedCapacity: 'TOTAL' }),
      'BatchExecuteStatement',
      ({ body }) => {
        const sent = JSON.parse(body.toString()) as { Statements: typeof Statements };
        expect(sent).toMatchObject({ ReturnConsumedCapacity: 'TOTAL' });
        const names = sent.Statements.map(({ Parameters }) => Parameters[0]?.S ?? '');
        carriedOut.push(...names);
        const Responses = names.map((TableName) => ({ TableName }));
        return Promise.resolve({ ...OK, body: JSON.stringify({ Responses, ConsumedCapacity: [] }) });
      },
    );
    const { Responses, ...rest } = JSON.parse((response as AwsResponse).body.toString()) as {
      Responses: { TableName: string; Error?: { Code: string } }[];
    };
    expect(rest).toEqual({ ConsumedCapacity: [] });
    expect(Responses.map(({ TableName }) => TableName)).toEqual(['A', 'B', 'C', 'D', 'E', 'F']);
    const throttled = Responses.filter(({ Error: failure }) => failure?.Code === 'ThrottlingError');
    expect(throttled.map(({ TableName }) => TableName)).toEqual(
      ['A', 'B', 'C', 'D', 'E', 'F'].filter((name) => !carriedOut.includes(name)),
    );
    expect(carriedOut).toContain('A');
    expect(throttled.length).toBeGreaterThan(0);
    expect(throttled.length).toBeLessThan(5);
  });
});

describe('the list of faults', () => {
  it('is read, replaced and emptied', () => {
    const faults = createFaults(1);
    expect(faults.control('', 'GET')).toEqual([]);
    expect(faults.control('["kms:down:1","sqs:delay:500"]', 'PUT')).toEqual(['kms:down:1', 'sqs:delay:500']);
    expect(faults.control('', 'GET')).toEqual(['kms:down:1', 'sqs:delay:500']);
    expect(faults.control('', 'DELETE')).toEqual([]);
  });

  it('does not change if one of the new ones is invalid', () => {
    const faults = createFaults(1);
    faults.replace(['kms:down:1']);
    expect(() => faults.control('["kms:error:1","nothing"]', 'PUT')).toThrow(/^nothing: a fault is/);
    expect(() => faults.control('{"kms":1}', 'PUT')).toThrow(/JSON list of faults/);
    expect(faults.control('', 'GET')).toEqual(['kms:down:1']);
  });
});
