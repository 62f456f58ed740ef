import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import {
  aLambda,
  layerArn,
  roleArn,
  type ALambda,
} from '../../../packages/local-aws/test/lambda/a-lambda.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { createReactorFunctions } from '../../../src/adapters/lambda/reactor-functions.ts';
import { createReactorHeat } from '../../../src/adapters/lambda/reactor-heat.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { LAYER } from '../../support/fakes/reactor-functions.ts';

/** Lambda's limit of 15 calls a second does not count these (Lambda quotas). */
const UNCOUNTED: ReadonlySet<string> = new Set(['GetFunction', 'Invoke']);

const PREFIX = 'Cloakroom-reactor-';
const KEY = 'arn:aws:kms:us-east-1:000000000000:key/code';
const code = (text: string) => ({ code: new Secret(`module.exports = () => ${text};`) });

let lambda: ALambda;
beforeAll(async () => {
  lambda = await aLambda();
  lambda.keyPolicies.set(KEY, true);
  await lambda.control({ controlPerSecond: 10_000, readPerSecond: 10_000 });
});
afterAll(() => lambda.close());

/** The calls that count while something is done, in their order. */
function counting() {
  let calls: string[] = [];
  const client = {
    send: (command: Parameters<LambdaClient['send']>[0]) => {
      calls.push(command.constructor.name.replace(/Command$/, ''));
      return lambda.client.send(command);
    },
  } as unknown as LambdaClient;
  const during = async (act: () => Promise<unknown>) => {
    calls = [];
    await act();
    return calls.filter((call) => !UNCOUNTED.has(call));
  };
  return { client, during };
}

it('makes as many calls of the control plane as docs/storage.md says', async () => {
  const { client, during } = counting();
  const connection = { client, platform: machinePlatform };
  const functions = createReactorFunctions(connection, {
    namePrefix: PREFIX,
    roleArn: roleArn('silent'),
    layers: { node16: { ...LAYER, arn: layerArn }, node24: { ...LAYER, arn: layerArn } },
    architecture: 'arm64',
    codeKeyArn: KEY,
    tags: {},
  });
  const heat = createReactorHeat(connection, PREFIX);
  const reactor = { tenantId: randomUUID(), id: randomUUID(), image: 'node16' as const };
  const { id } = reactor;
  const counts: (readonly [string, readonly string[]])[] = [];
  const count = async (what: string, act: () => Promise<unknown>) => {
    counts.push([what, await during(act)]);
  };
  await count('create', () => functions.create(reactor, code('1')));
  await count('give running instances', () => heat.start(id, 1));
  await count('change the code', async () => {
    const { functionVersion } = await functions.publish(reactor, code('2'));
    await functions.pointLive(id, functionVersion);
  });
  await count('the sweep, five minutes later', async () => {
    await functions.pointLive(id, '2');
    await functions.removeOtherVersions(id, '2');
  });
  await count('take running instances', () => heat.end(id));
  await count('delete', () => functions.remove(id));
  const page = readFileSync(join(import.meta.dirname, '../../../docs/storage.md'), 'utf8').replaceAll(
    / +/g,
    ' ',
  );
  const rows = counts.map(([what, calls]) => `| ${what} | ${String(calls.length)} | ${calls.join(', ')} |`);
  expect(rows.filter((row) => page.includes(row))).toEqual(rows);
});
