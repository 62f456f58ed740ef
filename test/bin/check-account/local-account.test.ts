// The calls of Lambda, as the local account answers them.
import { ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { aFunction, aHost } from '../../../packages/local-aws/test/lambda/a-function.ts';
import {
  account as local,
  aLambda,
  layerArn,
  roleArn,
} from '../../../packages/local-aws/test/lambda/a-lambda.ts';
import { awsAccount } from '../../../bin/check-account/aws-account.ts';
import { tryFunction } from '../../../bin/check-account/try-function.ts';

const PREFIX = 'Cloakroom-reactor-';

async function opened(options: Parameters<typeof aLambda>[0] = {}) {
  const lambda = await aLambda(options);
  const account = awsAccount({
    endpoint: lambda.endpoint.url,
    region: local.region,
    credentials: await lambda.client.config.credentials(),
  });
  return { lambda, account };
}

const trial = { prefix: PREFIX, architecture: 'arm64', tags: { team: 'payments' } } as const;

it('the quota of the account is read, and what a function reserves', async () => {
  const { lambda, account } = await opened({ functions: aHost([aFunction('', { reservedConcurrency: 3 })]) });
  await lambda.control({ accountConcurrency: 200 });
  expect(await account.concurrency()).toEqual({ quota: 200, unreserved: 197 });
  expect([await account.reservedOf('fn'), await account.hasFunction('fn')]).toEqual([3, true]);
  expect([await account.reservedOf('none'), await account.hasFunction('none')]).toEqual([undefined, false]);
  await lambda.close();
});

it('a function is made with the role and layer of reactors, and nothing is left of it', async () => {
  const { lambda, account } = await opened();
  const madeWith = { roleArn: roleArn('silent'), layers: [layerArn], exist: true };
  expect(await tryFunction(account, { ...trial, madeWith })).toMatchObject({ status: 'ok' });
  const { Functions: left = [] } = await lambda.client.send(new ListFunctionsCommand({}));
  expect(left).toEqual([]);
  await lambda.close();
});

it('no function is made without the role, and no rule is said to refuse it', async () => {
  const { lambda, account } = await opened();
  const madeWith = { roleArn: roleArn('absent'), layers: [], exist: false };
  expect(await tryFunction(account, { ...trial, madeWith })).toMatchObject({ status: 'warning' });
  await lambda.close();
});

it('a right that is missing is named', async () => {
  const { lambda } = await opened();
  const client = lambda.as('reader', [{ Effect: 'Allow', Action: 'lambda:List*', Resource: '*' }]);
  const account = awsAccount({
    endpoint: lambda.endpoint.url,
    region: local.region,
    credentials: await client.config.credentials(),
  });
  const madeWith = { roleArn: roleArn('silent'), layers: [layerArn], exist: true };
  expect(await tryFunction(account, { ...trial, madeWith })).toMatchObject({
    status: 'finding',
    what: expect.stringContaining('lambda:CreateFunction'),
  });
  await lambda.close();
});
