import { randomUUID } from 'node:crypto';
import {
  CreateFunctionCommand,
  GetFunctionCommand,
  TagResourceCommand,
  UpdateFunctionCodeCommand,
  type LambdaClient,
} from '@aws-sdk/client-lambda';
import { zipSync } from 'fflate';
import { createLayerFinder } from '../../../src/adapters/lambda/layer-finder.ts';
import { createLayerMover } from '../../../src/adapters/lambda/layer-mover.ts';
import { createPace } from '../../../src/adapters/lambda/pace.ts';
import { createReactorFunctions } from '../../../src/adapters/lambda/reactor-functions.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import {
  aLambda,
  layerArn,
  otherLayerArn,
  roleArn,
  type ALambda,
} from '../../../packages/local-aws/test/lambda/a-lambda.ts';
import { LAYER } from '../../support/fakes/reactor-functions.ts';

const PREFIX = 'Cloakroom-reactor-';
const TARGET = { image: 'node16' as const, generation: 2, hash: 'b'.repeat(64), arn: otherLayerArn };
const TENANT = randomUUID();

let lambda: ALambda;
beforeAll(async () => {
  lambda = await aLambda();
  lambda.keyPolicies.set('code-key', true);
  await lambda.control({ controlPerSecond: 10_000, readPerSecond: 10_000, pendingMs: 1 });
});
afterAll(() => lambda.close());

const code = { code: new Secret('module.exports = () => 1') };
const functions = () =>
  createReactorFunctions(
    { client: lambda.client, platform: machinePlatform },
    {
      namePrefix: PREFIX,
      roleArn: roleArn('silent'),
      layers: { node16: { ...LAYER, arn: layerArn }, node24: { ...LAYER, arn: layerArn } },
      architecture: 'arm64',
      codeKeyArn: 'code-key',
      tags: {},
    },
  );

const mover = (
  architecture: 'arm64' | 'x86_64' = 'arm64',
  control: Pick<LambdaClient, 'send'> = lambda.client,
  tags: Readonly<Record<string, string>> = {},
) =>
  createLayerMover(
    { client: lambda.client, platform: machinePlatform },
    { namePrefix: PREFIX, architecture, tags },
    control,
  );

const nameOf = (id: string) => `${PREFIX}${id.replaceAll('-', '')}`;
const configurationOf = async (id: string, Qualifier: string) =>
  (await lambda.client.send(new GetFunctionCommand({ FunctionName: nameOf(id), Qualifier }))).Configuration;

async function aReactor() {
  const reactor = { tenantId: TENANT, id: randomUUID(), image: 'node16' as const };
  const { functionVersion } = await functions().create(reactor, code);
  return { ...reactor, functionVersion, codeHash: 'hash' };
}

describe('the move of a function to another layer', () => {
  it('publishes the same code on it, and moves live on request, by three calls of the control plane', async () => {
    const names: string[] = [];
    const control = {
      send: (command: { readonly constructor: { readonly name: string } }) => {
        names.push(command.constructor.name);
        return lambda.client.send(command as GetFunctionCommand);
      },
    } as Pick<LambdaClient, 'send'>;
    const reactor = await aReactor();
    const moving = mover('arm64', control);
    expect(await moving.publish(reactor, TARGET)).toEqual({ functionVersion: '2' });
    expect((await configurationOf(reactor.id, 'live'))?.Version).toBe('1');
    expect(await moving.pointLive(reactor.id, '2')).toBe('moved');
    const before = await configurationOf(reactor.id, '1');
    const after = await configurationOf(reactor.id, 'live');
    expect(after).toMatchObject({ Version: '2', CodeSha256: before?.CodeSha256 });
    expect(after?.Layers?.map(({ Arn }) => Arn)).toEqual([otherLayerArn]);
    expect(names).toEqual([
      'UpdateFunctionConfigurationCommand',
      'PublishVersionCommand',
      'UpdateAliasCommand',
    ]);
  });

  it('gives it the tags of the deployment, and no call if it has them', async () => {
    const reactor = await aReactor();
    const tags = { team: 'payments', stage: 'eu' };
    const moving = mover('arm64', lambda.client, tags);
    await moving.publish(reactor, TARGET);
    const { Tags } = await lambda.client.send(new GetFunctionCommand({ FunctionName: nameOf(reactor.id) }));
    expect(Tags).toEqual({ ...tags, 'cloakroom:tenant': TENANT, 'cloakroom:reactor': reactor.id });
    const refusing = {
      send: (command: object) =>
        command instanceof TagResourceCommand
          ? Promise.reject(new Error('not needed'))
          : lambda.client.send(command as GetFunctionCommand),
    } as Pick<LambdaClient, 'send'>;
    expect(await mover('arm64', refusing, tags).publish(reactor, TARGET)).toEqual({ functionVersion: '2' });
  });

  it('leaves a function whose latest code is not the code in force', async () => {
    const reactor = await aReactor();
    const ZipFile = zipSync({ 'reactor.js': new TextEncoder().encode('other') });
    await lambda.client.send(new UpdateFunctionCodeCommand({ FunctionName: nameOf(reactor.id), ZipFile }));
    expect(await mover().publish(reactor, TARGET)).toBe('changed');
  });

  it('leaves a function with the tags of another reactor, one of another processor, and none', async () => {
    const reactor = await aReactor();
    expect(await mover().publish({ ...reactor, tenantId: randomUUID() }, TARGET)).toBe('foreign');
    expect(await mover('x86_64').publish(reactor, TARGET)).toBe('architecture');
    expect(await mover().publish({ ...reactor, id: randomUUID() }, TARGET)).toBe('gone');
    expect(await mover().publish({ ...reactor, functionVersion: '7' }, TARGET)).toBe('gone');
    expect(await mover().pointLive(randomUUID(), '1')).toBe('gone');
    expect((await configurationOf(reactor.id, '$LATEST'))?.Layers?.map(({ Arn }) => Arn)).toEqual([layerArn]);
  });

  it.each([
    ['loaded', { outcome: 'loaded' }, 'loaded'],
    ['not loaded', { outcome: 'not_loaded', reason: 'threw' }, 'not_loaded'],
    ['stale', { outcome: 'stale' }, 'stale'],
    ['anything else', { outcome: 'returned', value: 1 }, 'not_loaded'],
  ])('reads the answer of a probe: %s', async (_, answer, expected) => {
    const id = randomUUID();
    const text = `module.exports = async (event) => event.probe === true && event.code_sha256 === 'hash' ? ${JSON.stringify(answer)} : 'no probe';`;
    await lambda.client.send(
      new CreateFunctionCommand({
        FunctionName: nameOf(id),
        Runtime: 'provided.al2023',
        Handler: 'index.handler',
        Role: roleArn('silent'),
        Layers: [layerArn],
        Architectures: ['arm64'],
        Code: { ZipFile: zipSync({ 'index.cjs': new TextEncoder().encode(text) }) },
        Publish: true,
      }),
    );
    const version = { tenantId: TENANT, id, functionVersion: '1', codeHash: 'hash' };
    expect(await mover().probe(version)).toBe(expected);
  });

  it('finds a generation of the layer by its number, with the hash in its description', async () => {
    const names = { node16: 'runtime', node24: 'runtime-node24' };
    const finder = createLayerFinder({ client: lambda.client, platform: machinePlatform }, names);
    expect(await finder.generation('node16', 1)).toEqual({ ...LAYER, arn: layerArn });
    expect(await finder.generation('node16', 3)).toBeUndefined();
    // Each image has a layer of its own.
    expect(await finder.generation('node24', 1)).toBeUndefined();
    // Both versions have this content: the newest one counts.
    expect(await finder.present(LAYER)).toEqual({ ...LAYER, generation: 2, arn: otherLayerArn });
    expect(await finder.present(TARGET)).toBeUndefined();
  });
});

it('calls keep a rate and their order', async () => {
  let now = 0;
  const waits: number[] = [];
  const pace = createPace(
    {
      clock: () => now,
      pause: (ms) => {
        waits.push(ms);
        return Promise.resolve();
      },
    },
    10,
  );
  await Promise.all(Array.from({ length: 4 }, pace));
  expect(waits).toEqual([100, 200, 300]);
  now = 10_000;
  await pace();
  expect(waits).toHaveLength(3);
});
