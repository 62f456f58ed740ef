import type { AwsCall, AwsService } from '../../src/aws-service.ts';
import { createLambda, type Lambda } from '../../src/lambda/create-lambda.ts';
import { createLayerTable } from '../../src/lambda/layer-table.ts';
import { aFunction, aHost } from './a-function.ts';

const host = aHost([
  aFunction('export const handler = async ({ fail }) => { if (fail) throw new Error("no"); return "yes"; };'),
]);
host.defineQualifier('fn', 'live');
const arn = 'arn:aws:lambda:us-east-1:000000000000:function:fn';
let lambda: Lambda;
let service: AwsService;

beforeAll(async () => {
  host.start('http://127.0.0.1:4566');
  lambda = await createLambda({
    accountId: '000000000000',
    region: 'us-east-1',
    functions: host,
    layers: createLayerTable(),
    credentialsFor: () => ({ accessKeyId: 'a', secretAccessKey: 's', sessionToken: 't' }),
    canAssume: () => true,
    canEncrypt: () => true,
    mayWriteLogs: () => false,
    log: () => undefined,
  });
  service = lambda.service;
});

afterAll(async () => {
  await host.close();
  await lambda.close();
});

function aCall(parts: Partial<AwsCall>): AwsCall {
  return {
    service: 'lambda',
    method: 'POST',
    path: '/2015-03-31/functions/fn/invocations',
    query: new URLSearchParams(),
    headers: {},
    target: undefined,
    body: Buffer.from('{}'),
    principal: { kind: 'administrator' },
    ...parts,
  };
}

it('Invoke returns the result', async () => {
  expect(await service.handle(aCall({}))).toMatchObject({
    status: 200,
    body: '"yes"',
    headers: { 'x-amz-executed-version': '$LATEST' },
  });
});

it('Invoke reports a failed function in a header', async () => {
  const response = await service.handle(aCall({ body: Buffer.from('{"fail":true}') }));
  expect(response).toMatchObject({ status: 200, headers: { 'x-amz-function-error': 'Unhandled' } });
  expect(JSON.parse(response.body.toString())).toMatchObject({ errorType: 'Error', errorMessage: 'no' });
});

it('an event invocation is accepted immediately, and a dry run runs nothing', async () => {
  expect(await service.handle(aCall({ headers: { 'x-amz-invocation-type': 'Event' } }))).toMatchObject({
    status: 202,
    body: '',
  });
  expect(await service.handle(aCall({ headers: { 'x-amz-invocation-type': 'DryRun' } }))).toMatchObject({
    status: 204,
  });
});

it('a body that is not JSON is rejected', async () => {
  const refused = Promise.resolve().then(() => service.handle(aCall({ body: Buffer.from('{') })));
  await expect(refused).rejects.toMatchObject({ code: 'InvalidRequestContentException', status: 400 });
});

it.each([
  ['GET', '/2015-03-31/functions/fn', 'lambda:GetFunction', arn],
  ['GET', '/2015-03-31/functions/fn/configuration', 'lambda:GetFunctionConfiguration', arn],
  ['POST', '/2015-03-31/functions/fn/invocations', 'lambda:InvokeFunction', arn],
  [
    'POST',
    `/2015-03-31/functions/${encodeURIComponent(`${arn}:live`)}/invocations`,
    'lambda:InvokeFunction',
    `${arn}:live`,
  ],
])('%s %s needs %s', (method, path, action, resource) => {
  expect(service.accesses(aCall({ method, path }))).toEqual([{ action, resource, context: {} }]);
});

it('a qualifier in the query is part of the resource', () => {
  const call = aCall({ query: new URLSearchParams({ Qualifier: 'live' }) });
  expect(service.accesses(call)).toMatchObject([
    { action: 'lambda:InvokeFunction', resource: `${arn}:live` },
  ]);
});

it('GetFunction returns the data of the template', async () => {
  const response = await service.handle(aCall({ method: 'GET', path: '/2015-03-31/functions/fn' }));
  expect(JSON.parse(response.body.toString())).toMatchObject({
    Configuration: { FunctionName: 'fn', FunctionArn: arn, State: 'Active', MemorySize: 128 },
  });
});

it('every other call fails by its name', () => {
  const call = aCall({ method: 'GET', path: '/2015-03-31/code-signing-configs/' });
  expect(() => service.accesses(call)).toThrow(/GET \/2015-03-31\/code-signing-configs\/ locally/);
});

it('a failure has the form of the REST protocol', async () => {
  try {
    await service.handle(aCall({ path: '/2015-03-31/functions/none/invocations' }));
  } catch (error) {
    expect(service.failure(error as Parameters<typeof service.failure>[0])).toEqual({
      status: 404,
      headers: { 'content-type': 'application/json', 'x-amzn-errortype': 'ResourceNotFoundException' },
      body: '{"Type":"User","message":"Function not found: none"}',
    });
  }
  expect.assertions(1);
});
