import { randomUUID } from 'node:crypto';
import {
  GetAliasCommand,
  GetFunctionCommand,
  GetProvisionedConcurrencyConfigCommand,
  type LambdaClient,
  ListFunctionsCommand,
  ListVersionsByFunctionCommand,
} from '@aws-sdk/client-lambda';
import { unzipSync } from 'fflate';
import { codeArchive } from '../../../src/adapters/lambda/code-archive.ts';
import {
  createReactorFunctions,
  type ReactorFunctionSettings,
} from '../../../src/adapters/lambda/reactor-functions.ts';
import { createReactorHeat } from '../../../src/adapters/lambda/reactor-heat.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { LAYERS } from '../../support/fakes/reactor-functions.ts';
import { reactorFunctionsContract } from '../../contracts/reactor-functions-contract.ts';
import {
  aLambda,
  layerArn,
  otherLayerArn,
  roleArn,
  type ALambda,
} from '../../../packages/local-aws/test/lambda/a-lambda.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const PREFIX = 'Cloakroom-reactor-';
const KEY = 'arn:aws:kms:us-east-1:000000000000:key/code';

/** Node.js 16 has this layer. */
const layersWith = (arn: string) => ({
  node16: { ...LAYERS.node16, arn },
  node24: { ...LAYERS.node24, arn: otherLayerArn },
});

let lambda: ALambda;
beforeAll(async () => {
  lambda = await aLambda();
  lambda.keyPolicies.set(KEY, true);
  // Another test covers the account's limit.
  await lambda.control({ controlPerSecond: 10_000, readPerSecond: 10_000 });
});
afterAll(() => lambda.close());

const functions = (more: Partial<ReactorFunctionSettings> = {}, client: LambdaClient = lambda.client) =>
  createReactorFunctions(
    { client, platform: machinePlatform },
    {
      namePrefix: PREFIX,
      roleArn: roleArn('silent'),
      layers: layersWith(layerArn),
      architecture: 'arm64',
      codeKeyArn: KEY,
      tags: {},
      ...more,
    },
  );

const TENANT = randomUUID();
const reactorOf = (id: string) => ({ tenantId: TENANT, id, image: 'node16' as const });
const code = (text: string) => ({ code: new Secret(`module.exports = () => ${text};`) });
const nameOf = (id: string) => `Cloakroom-reactor-${id.replaceAll('-', '')}`;
const live = async (id: string) =>
  (await lambda.client.send(new GetAliasCommand({ FunctionName: nameOf(id), Name: 'live' }))).FunctionVersion;
const versions = async (id: string) =>
  (
    (await lambda.client.send(new ListVersionsByFunctionCommand({ FunctionName: nameOf(id) }))).Versions ?? []
  ).map(({ Version }) => Version);

reactorFunctionsContract('in Lambda', () => functions());

const heat = () => createReactorHeat({ client: lambda.client, platform: machinePlatform }, PREFIX);

describe('the archive of a reactor', () => {
  it('contains only the code, and is identical for identical code', () => {
    const archive = codeArchive(code('"ü"'));
    expect(
      Object.entries(unzipSync(archive)).map(([name, bytes]) => [name, Buffer.from(bytes).toString()]),
    ).toEqual([['reactor.js', 'module.exports = () => "ü";']]);
    expect(codeArchive(code('"ü"'))).toEqual(archive);
  });
});

describe('the function of a reactor', () => {
  it('is created with the empty role, the layer and no environment, and live is its first version', async () => {
    const id = randomUUID();
    expect(await functions().create(reactorOf(id), code('1'))).toMatchObject({ functionVersion: '1' });
    const { Configuration: found } = await lambda.client.send(
      new GetFunctionCommand({ FunctionName: nameOf(id), Qualifier: 'live' }),
    );
    expect(found).toMatchObject({
      Runtime: 'provided.al2023',
      Architectures: ['arm64'],
      Role: roleArn('silent'),
      MemorySize: 512,
      Timeout: 225,
      Version: '1',
      State: 'Active',
    });
    expect(found?.Environment).toBeUndefined();
    expect(found?.Layers?.map(({ Arn }) => Arn)).toEqual([layerArn]);
    expect(nameOf(id).length).toBeLessThanOrEqual(64);
  });

  it('has the tags of the deployment from the start, or from its next publication', async () => {
    const reactor = reactorOf(randomUUID());
    const tagsOf = async () =>
      (await lambda.client.send(new GetFunctionCommand({ FunctionName: nameOf(reactor.id) }))).Tags;
    const own = { 'cloakroom:tenant': TENANT, 'cloakroom:reactor': reactor.id };
    await functions({ tags: { team: 'payments' } }).create(reactor, code('1'));
    expect(await tagsOf()).toEqual({ ...own, team: 'payments' });
    await functions({ tags: { team: 'risk', stage: 'eu' } }).publish(reactor, code('2'));
    expect(await tagsOf()).toEqual({ ...own, team: 'risk', stage: 'eu' });
    await functions().remove(reactor.id);
  });

  it('runs as many provisioned instances as are asked for, and none after their end', async () => {
    const id = randomUUID();
    await functions().create(reactorOf(id), code('1'));
    expect(await heat().start(id, 2)).toBe('started');
    const read = new GetProvisionedConcurrencyConfigCommand({ FunctionName: nameOf(id), Qualifier: 'live' });
    expect((await lambda.client.send(read)).RequestedProvisionedConcurrentExecutions).toBe(2);
    expect([await heat().end(id), await heat().end(id)]).toEqual(['ended', 'ended']);
    await expect(lambda.client.send(read)).rejects.toThrow('No Provisioned Concurrency Config');
    await functions().remove(id);
    expect([await heat().start(id, 1), await heat().end(id)]).toEqual(['gone', 'ended']);
  });

  it('waits for no turn to run or end provisioned instances', async () => {
    const id = randomUUID();
    await functions().create(reactorOf(id), code('1'));
    await lambda.control({ throttle: 2 });
    expect([await heat().start(id, 1), await heat().end(id)]).toEqual(['busy', 'busy']);
    await functions().remove(id);
  });

  it.each([
    [10, 0],
    [102, 2],
    [1_000, 3],
  ])('is provisioned as far as a quota of %i allows, and works without', async (accountConcurrency, hot) => {
    await lambda.control({ accountConcurrency });
    const made: string[] = [];
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    for (const id of ids) {
      expect(await functions().create(reactorOf(id), code('1'))).toMatchObject({ functionVersion: '1' });
      made.push(await heat().start(id, 1));
    }
    expect(made.filter((each) => each === 'started')).toHaveLength(hot);
    expect(made.slice(hot)).toEqual(ids.slice(hot).map(() => 'refused'));
    // An existing one stays when it is requested again.
    if (hot > 0) expect(await heat().start(ids[0] ?? '', 1)).toBe('started');
    for (const id of ids) await functions().remove(id);
    await lambda.control({ accountConcurrency: 1_000 });
  });

  it('is named after the deployment, whatever words that name contains', async () => {
    const estate = functions({ namePrefix: 'Estate-in-progress-' });
    const id = randomUUID();
    expect(await estate.create(reactorOf(id), code('1'))).toMatchObject({ functionVersion: '1' });
    // It exists already: no part of its name causes that wait, which would be too long for a test.
    expect(await estate.create(reactorOf(id), code('1'))).toMatchObject({ functionVersion: '1' });
    await estate.remove(id);
  });

  it('is created with few calls: CreateFunction, CreateAlias, and polls until it is ready', async () => {
    const names: string[] = [];
    const counting = lambda.as('counting', [{ Effect: 'Allow', Action: '*', Resource: '*' }]);
    counting.middlewareStack.add(
      (next, context) => (args) => {
        names.push(String(context['commandName']));
        return next(args);
      },
      { step: 'initialize' },
    );
    await functions({}, counting).create(reactorOf(randomUUID()), code('1'));
    expect(names.filter((name) => name !== 'GetFunctionCommand')).toEqual([
      'CreateFunctionCommand',
      'CreateAliasCommand',
    ]);
  });

  it('is tagged with its reactor, and gets no version of another one', async () => {
    const id = randomUUID();
    await functions().create(reactorOf(id), code('1'));
    const { Tags } = await lambda.client.send(new GetFunctionCommand({ FunctionName: nameOf(id) }));
    expect(Tags).toEqual({ 'cloakroom:tenant': TENANT, 'cloakroom:reactor': id });
    const other = { ...reactorOf(id), tenantId: randomUUID() };
    await expect(functions().publish(other, code('2'))).rejects.toThrow('the function is of another reactor');
    expect(await versions(id)).toEqual(['$LATEST', '1']);
  });

  it('gets another version, makes it live on request, and loses the old one', async () => {
    const id = randomUUID();
    await functions().create(reactorOf(id), code('1'));
    expect(await functions().publish(reactorOf(id), code('2'))).toMatchObject({ functionVersion: '2' });
    expect(await live(id)).toBe('1');
    await functions().pointLive(id, '2');
    expect(await live(id)).toBe('2');
    await functions().removeOtherVersions(id, '2');
    expect(await versions(id)).toEqual(['$LATEST', '2']);
    await functions().removeOtherVersions(id, '2');
  });

  it('is current while live is the version, on the layer of this deployment', async () => {
    const id = randomUUID();
    expect(await functions().isCurrent(reactorOf(id), '1')).toBe(false);
    await functions().create(reactorOf(id), code('1'));
    expect(await functions().isCurrent(reactorOf(id), '1')).toBe(true);
    expect(await functions().isCurrent(reactorOf(id), '2')).toBe(false);
    expect(await functions({ layers: layersWith(otherLayerArn) }).isCurrent(reactorOf(id), '1')).toBe(false);
    expect(
      await functions({ layers: layersWith(otherLayerArn) }).publish(reactorOf(id), code('1')),
    ).toMatchObject({ functionVersion: '2' });
    await functions().pointLive(id, '2');
    expect(await functions({ layers: layersWith(otherLayerArn) }).isCurrent(reactorOf(id), '2')).toBe(true);
  });

  it('moves to another architecture, with its layer, in a new version', async () => {
    const id = randomUUID();
    await functions().create(reactorOf(id), code('1'));
    const other = functions({ layers: layersWith(otherLayerArn), architecture: 'x86_64' });
    expect(await functions({ architecture: 'x86_64' }).isCurrent(reactorOf(id), '1')).toBe(false);
    expect(await other.publish(reactorOf(id), code('1'))).toMatchObject({ functionVersion: '2' });
    const configurationOf = async (Qualifier: string) => {
      const command = new GetFunctionCommand({ FunctionName: nameOf(id), Qualifier });
      return (await lambda.client.send(command)).Configuration;
    };
    expect((await configurationOf('live'))?.Architectures).toEqual(['arm64']);
    const moved = await configurationOf('2');
    expect(moved?.Architectures).toEqual(['x86_64']);
    expect(moved?.Layers?.map(({ Arn }) => Arn)).toEqual([otherLayerArn]);
    await other.pointLive(id, '2');
    expect(await other.isCurrent(reactorOf(id), '2')).toBe(true);
  });

  it('is removed completely, and a second removal succeeds', async () => {
    const id = randomUUID();
    await functions().create(reactorOf(id), code('1'));
    expect(await heat().start(id, 1)).toBe('started');
    await functions().publish(reactorOf(id), code('2'));
    await functions().remove(id);
    await functions().remove(id);
    const { Functions: left = [] } = await lambda.client.send(new ListFunctionsCommand({}));
    expect(left.map(({ FunctionName }) => FunctionName)).not.toContain(nameOf(id));
  });

  it('waits while it is Pending, and while the account is over its rate limit', async () => {
    await lambda.control({ pendingMs: 200 });
    const id = randomUUID();
    await lambda.control({ throttle: 3 });
    expect(await functions().create(reactorOf(id), code('1'))).toMatchObject({ functionVersion: '1' });
    await lambda.control({ throttle: 2 });
    const both = await Promise.all([
      functions().publish(reactorOf(id), code('2')),
      functions().publish(reactorOf(id), code('3')),
    ]);
    expect(both.map(({ functionVersion }) => functionVersion).toSorted()).toEqual(['2', '3']);
    await lambda.control({ pendingMs: 50, throttle: 0 });
  });

  it('is recognised when the response to its creation was lost', async () => {
    const losing = lambda.as('losing', [{ Effect: 'Allow', Action: '*', Resource: '*' }]);
    let lost = false;
    losing.middlewareStack.add(
      (next, context) => async (args) => {
        const result = await next(args);
        if (context['commandName'] !== 'CreateFunctionCommand' || lost) return result;
        lost = true;
        throw Object.assign(new Error('lost'), { name: 'TooManyRequestsException' });
      },
      { step: 'initialize' },
    );
    const id = randomUUID();
    expect(await functions({}, losing).create(reactorOf(id), code('1'))).toMatchObject({
      functionVersion: '1',
    });
    expect(lost).toBe(true);
    expect(await live(id)).toBe('1');
  });

  it('is not created after a permanent error, after attempts for twenty seconds', async () => {
    const failing = lambda.as('failing', [{ Effect: 'Allow', Action: '*', Resource: '*' }]);
    let tries = 0;
    failing.middlewareStack.add(
      (next) => async (args) => {
        tries += 1;
        const start = Date.now();
        const isSecond = tries === 2;
        return next(args).finally(() => {
          if (isSecond) jest.spyOn(Date, 'now').mockReturnValue(start + 20_000);
        });
      },
      { step: 'initialize' },
    );
    const layer = { layers: layersWith(`${layerArn.slice(0, -1)}9`) };
    await expect(functions(layer, failing).create(reactorOf(randomUUID()), code('1'))).rejects.toThrow();
    jest.restoreAllMocks();
    expect(tries).toBe(2);
  });
});
