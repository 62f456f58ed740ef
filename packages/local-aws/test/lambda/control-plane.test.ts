import {
  CreateAliasCommand,
  CreateFunctionCommand,
  DeleteFunctionCommand,
  DeleteProvisionedConcurrencyConfigCommand,
  GetAliasCommand,
  GetFunctionCommand,
  GetProvisionedConcurrencyConfigCommand,
  InvokeCommand,
  ListFunctionsCommand,
  ListVersionsByFunctionCommand,
  PublishVersionCommand,
  PutProvisionedConcurrencyConfigCommand,
  UpdateAliasCommand,
  UpdateFunctionCodeCommand,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionActiveV2,
  waitUntilFunctionUpdatedV2,
  type CreateFunctionCommandInput,
  type LambdaClient,
} from '@aws-sdk/client-lambda';
import { strToU8, zipSync } from 'fflate';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PolicyStatement } from '../../src/aws-service.ts';
import { aLambda, aStateTime, functionArn, layerArn, roleArn, type ALambda } from './a-lambda.ts';
import { aZip } from './a-zip.ts';

/** How long functions are Pending and updates InProgress. */
const PENDING_MS = 30;
const time = aStateTime();
let lambda: ALambda;
let client: LambdaClient;

beforeAll(async () => {
  lambda = await aLambda({ time });
  client = lambda.client;
});

beforeEach(() =>
  lambda.control({ pendingMs: PENDING_MS, controlPerSecond: 1000, throttle: 0, inactive: [] }),
);
afterAll(() => lambda.close());

function creation(name: string, parts: Partial<CreateFunctionCommandInput> = {}): CreateFunctionCommand {
  return new CreateFunctionCommand({
    FunctionName: name,
    Code: { ZipFile: aZip() },
    Role: roleArn('silent'),
    Runtime: 'provided.al2023',
    Handler: 'index.handler',
    Layers: [layerArn],
    Timeout: 600,
    ...parts,
  });
}

/** The time has passed before: the first look of a waiter finds the state. */
const soon = { client: undefined as never, maxWaitTime: 600 };
async function active(name: string, Qualifier?: string): Promise<void> {
  time.pass(PENDING_MS);
  const of = { FunctionName: name, ...(Qualifier !== undefined && { Qualifier }) };
  await waitUntilFunctionActiveV2({ ...soon, client }, of);
}
async function updated(name: string): Promise<void> {
  time.pass(PENDING_MS);
  await waitUntilFunctionUpdatedV2({ ...soon, client }, { FunctionName: name });
}

async function created(name: string, parts: Partial<CreateFunctionCommandInput> = {}): Promise<void> {
  await client.send(creation(name, parts));
  await active(name);
}

async function invoke(name: string, event: unknown = {}, Qualifier?: string) {
  const response = await client.send(
    new InvokeCommand({
      FunctionName: name,
      Payload: JSON.stringify(event),
      ...(Qualifier && { Qualifier }),
    }),
  );
  return {
    version: response.ExecutedVersion,
    error: response.FunctionError,
    result: JSON.parse(Buffer.from(response.Payload ?? []).toString()),
  };
}

describe('creating a function', () => {
  it('returns its configuration, Pending first and Active soon', async () => {
    const zip = aZip();
    const response = await client.send(
      creation('made', {
        Code: { ZipFile: zip },
        Architectures: ['arm64'],
        MemorySize: 512,
        Timeout: 225,
        Tags: { a: 'b' },
      }),
    );
    expect(response).toMatchObject({
      FunctionName: 'made',
      FunctionArn: functionArn('made'),
      Version: '$LATEST',
      State: 'Pending',
      StateReasonCode: 'Creating',
      Runtime: 'provided.al2023',
      Role: roleArn('silent'),
      MemorySize: 512,
      Timeout: 225,
      CodeSize: zip.length,
      CodeSha256: createHash('sha256').update(zip).digest('base64'),
      Architectures: ['arm64'],
      Layers: [{ Arn: layerArn }],
    });
    time.pass(PENDING_MS - 1);
    const early = await client.send(new GetFunctionCommand({ FunctionName: 'made' }));
    expect(early.Configuration).toMatchObject({ State: 'Pending' });
    time.pass(1);
    const { Configuration, Tags } = await client.send(new GetFunctionCommand({ FunctionName: 'made' }));
    expect(Configuration).toMatchObject({
      State: 'Active',
      LastUpdateStatus: 'Successful',
      RevisionId: response.RevisionId,
    });
    expect(Tags).toEqual({ a: 'b' });
  });

  it('creating a function with Publish returns version 1', async () => {
    expect(await client.send(creation('one', { Publish: true }))).toMatchObject({
      Version: '1',
      FunctionArn: `${functionArn('one')}:1`,
      State: 'Pending',
    });
    await active('one', '1');
    expect(await invoke('one', { a: 1 }, '1')).toEqual({ version: '1', error: undefined, result: { a: 1 } });
  });

  it('rejects a name that is taken', async () => {
    await created('taken');
    await expect(client.send(creation('taken'))).rejects.toMatchObject({
      name: 'ResourceConflictException',
      message: 'Function already exist: taken',
      $metadata: { httpStatusCode: 409 },
    });
  });

  const slip = zipSync({ 'a/../../outside': strToU8('x') });
  it.each([
    ['a role that does not exist', { Role: roleArn('missing') }, /cannot be assumed/],
    ['a role that does not trust Lambda', { Role: roleArn('untrusting') }, /cannot be assumed/],
    ['a layer that does not exist', { Layers: [`${layerArn}1`] }, /does not exist/],
    ['code that is not a zip', { Code: { ZipFile: strToU8('no zip') } }, /Could not unzip/],
    ['a zip that would write outside of its folder', { Code: { ZipFile: slip } }, /leads out of it/],
    ['another runtime', { Runtime: 'nodejs16.x' as const }, /Runtime/],
    ['a member that does not run locally', { VpcConfig: { SubnetIds: ['a'] } }, /VpcConfig/],
    [
      'a key whose policy does not allow Lambda',
      { Code: { ZipFile: aZip(), SourceKMSKeyArn: 'k' } },
      /key k/,
    ],
  ])('rejects %s', async (_what, parts, message) => {
    await expect(client.send(creation('refused', parts))).rejects.toMatchObject({
      name: 'InvalidParameterValueException',
      message: expect.stringMatching(message),
      $metadata: { httpStatusCode: 400 },
    });
    await expect(client.send(new GetFunctionCommand({ FunctionName: 'refused' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      $metadata: { httpStatusCode: 404 },
    });
  });

  it('stores the key that encrypts its code', async () => {
    lambda.keyPolicies.set('arn:key', true);
    await client.send(creation('sealed', { Code: { ZipFile: aZip(), SourceKMSKeyArn: 'arn:key' } }));
    const { Code } = await client.send(new GetFunctionCommand({ FunctionName: 'sealed' }));
    expect(Code).toMatchObject({ SourceKMSKeyArn: 'arn:key' });
  });
});

describe('a function that is not ready', () => {
  it('cannot be invoked or updated while Pending', async () => {
    await client.send(creation('pending'));
    const conflict = {
      name: 'ResourceConflictException',
      message:
        'The operation cannot be performed at this time. The function is currently in the following state: Pending',
      $metadata: { httpStatusCode: 409 },
    };
    await expect(invoke('pending')).rejects.toMatchObject(conflict);
    const update = new UpdateFunctionCodeCommand({ FunctionName: 'pending', ZipFile: aZip() });
    await expect(client.send(update)).rejects.toMatchObject(conflict);
    await expect(client.send(new PublishVersionCommand({ FunctionName: 'pending' }))).rejects.toMatchObject(
      conflict,
    );
  });

  it('rejects a second update during one, and runs the code before it', async () => {
    await created('updating', { Code: { ZipFile: aZip('async () => "old"') } });
    const update = (): UpdateFunctionCodeCommand =>
      new UpdateFunctionCodeCommand({ FunctionName: 'updating', ZipFile: aZip('async () => "new"') });
    expect(await client.send(update())).toMatchObject({ State: 'Active', LastUpdateStatus: 'InProgress' });
    await expect(client.send(update())).rejects.toMatchObject({
      name: 'ResourceConflictException',
      message: expect.stringMatching(/An update is in progress/),
    });
    expect((await invoke('updating')).result).toBe('old');
    await updated('updating');
    expect((await invoke('updating')).result).toBe('new');
  });

  it('wakes from Inactive on an invocation: Inactive, Pending, then Active', async () => {
    await created('asleep');
    await lambda.control({ inactive: ['asleep'] });
    const { Configuration } = await client.send(new GetFunctionCommand({ FunctionName: 'asleep' }));
    expect(Configuration).toMatchObject({ State: 'Inactive', StateReasonCode: 'Idle' });
    await expect(invoke('asleep')).rejects.toMatchObject({
      name: 'ResourceConflictException',
      message: expect.stringMatching(/state: Inactive$/),
    });
    await expect(invoke('asleep')).rejects.toMatchObject({
      message: expect.stringMatching(/state: Pending$/),
    });
    await active('asleep');
    expect((await invoke('asleep', 1)).result).toBe(1);
  });
});

describe('an update', () => {
  it('changes the revision, and is rejected for another revision than the caller read', async () => {
    await created('revised');
    const { Configuration } = await client.send(new GetFunctionCommand({ FunctionName: 'revised' }));
    const RevisionId = Configuration?.RevisionId;
    const update = (revision: string | undefined): UpdateFunctionConfigurationCommand =>
      new UpdateFunctionConfigurationCommand({
        FunctionName: 'revised',
        MemorySize: 256,
        RevisionId: revision,
      });
    const after = await client.send(update(RevisionId));
    expect(after).toMatchObject({ MemorySize: 256, Timeout: 600 });
    expect(after.RevisionId).not.toBe(RevisionId);
    await updated('revised');
    await expect(client.send(update(RevisionId))).rejects.toMatchObject({
      name: 'PreconditionFailedException',
      $metadata: { httpStatusCode: 412 },
    });
  });

  it('an update with Publish returns the new version', async () => {
    await created('released');
    const ZipFile = aZip('async () => 2');
    expect(
      await client.send(new UpdateFunctionCodeCommand({ FunctionName: 'released', ZipFile, Publish: true })),
    ).toMatchObject({ Version: '1', FunctionArn: `${functionArn('released')}:1` });
    await active('released', '1');
    expect(await invoke('released', {}, '1')).toMatchObject({ version: '1', result: 2 });
  });
});

describe('versions and aliases', () => {
  it('publishing unchanged code returns the last version again', async () => {
    await created('same');
    const publish = new PublishVersionCommand({ FunctionName: 'same' });
    expect((await client.send(publish)).Version).toBe('1');
    expect((await client.send(publish)).Version).toBe('1');
    await client.send(new UpdateFunctionCodeCommand({ FunctionName: 'same', ZipFile: aZip('() => 2') }));
    await updated('same');
    expect((await client.send(publish)).Version).toBe('2');
    await expect(
      client.send(new PublishVersionCommand({ FunctionName: 'same', CodeSha256: 'other' })),
    ).rejects.toMatchObject({ name: 'InvalidParameterValueException' });
  });

  it('an alias is its version until it is moved', async () => {
    await created('aliased', { Code: { ZipFile: aZip('async () => "first"') }, Publish: true });
    await client.send(
      new UpdateFunctionCodeCommand({
        FunctionName: 'aliased',
        ZipFile: aZip('async () => "second"'),
        Publish: true,
      }),
    );
    await active('aliased', '2');
    const names = { FunctionName: 'aliased', Name: 'live' };
    const alias = await client.send(new CreateAliasCommand({ ...names, FunctionVersion: '1' }));
    expect(alias).toMatchObject({ AliasArn: `${functionArn('aliased')}:live`, FunctionVersion: '1' });
    expect(await invoke('aliased', {}, 'live')).toMatchObject({ version: '1', result: 'first' });
    const moved = await client.send(
      new UpdateAliasCommand({ ...names, FunctionVersion: '2', RevisionId: alias.RevisionId }),
    );
    expect(moved.RevisionId).not.toBe(alias.RevisionId);
    expect(await invoke(`${functionArn('aliased')}:live`)).toMatchObject({ version: '2', result: 'second' });
    await expect(
      client.send(new UpdateAliasCommand({ ...names, FunctionVersion: '1', RevisionId: alias.RevisionId })),
    ).rejects.toMatchObject({ name: 'PreconditionFailedException' });
    await expect(
      client.send(new CreateAliasCommand({ ...names, FunctionVersion: '1' })),
    ).rejects.toMatchObject({ name: 'ResourceConflictException' });
    expect(await client.send(new GetAliasCommand(names))).toMatchObject({ FunctionVersion: '2' });
  });

  it('a missing one is not found', async () => {
    await created('bare');
    const missing = { name: 'ResourceNotFoundException', $metadata: { httpStatusCode: 404 } };
    const FunctionName = 'bare';
    for (const sent of [
      client.send(new GetFunctionCommand({ FunctionName, Qualifier: '7' })),
      client.send(new GetFunctionCommand({ FunctionName, Qualifier: 'live' })),
      client.send(new GetAliasCommand({ FunctionName, Name: 'live' })),
      client.send(new CreateAliasCommand({ FunctionName, Name: 'live', FunctionVersion: '7' })),
      client.send(new DeleteFunctionCommand({ FunctionName, Qualifier: '7' })),
      client.send(new InvokeCommand({ FunctionName, Qualifier: 'live' })),
      client.send(new DeleteFunctionCommand({ FunctionName: 'nothing' })),
      client.send(new InvokeCommand({ FunctionName: 'nothing' })),
    ].map((promise) => promise.catch((error: unknown) => error)))
      expect(await sent).toMatchObject(missing);
  });

  it('a version of an alias cannot be deleted', async () => {
    await created('busy', { Publish: true });
    const FunctionName = 'busy';
    await client.send(new CreateAliasCommand({ FunctionName, Name: 'live', FunctionVersion: '1' }));
    const deletion = new DeleteFunctionCommand({ FunctionName, Qualifier: '1' });
    await expect(client.send(deletion)).rejects.toMatchObject({
      name: 'ResourceConflictException',
      message: expect.stringMatching(/referenced by aliases/),
    });
    await updated(FunctionName);
    await client.send(new UpdateAliasCommand({ FunctionName, Name: 'live', FunctionVersion: '$LATEST' }));
    await client.send(deletion);
    const { Versions } = await client.send(new ListVersionsByFunctionCommand({ FunctionName }));
    expect(Versions?.map(({ Version }) => Version)).toEqual(['$LATEST']);
  });

  it('lists are paged', async () => {
    await created('paged');
    const FunctionName = 'paged';
    for (const memory of [129, 130, 131]) {
      await client.send(new UpdateFunctionConfigurationCommand({ FunctionName, MemorySize: memory }));
      await updated('paged');
      await client.send(new PublishVersionCommand({ FunctionName }));
    }
    const first = await client.send(new ListVersionsByFunctionCommand({ FunctionName, MaxItems: 3 }));
    const second = await client.send(
      new ListVersionsByFunctionCommand({ FunctionName, MaxItems: 3, Marker: first.NextMarker }),
    );
    expect([...(first.Versions ?? []), ...(second.Versions ?? [])].map(({ Version }) => Version)).toEqual([
      '$LATEST',
      '1',
      '2',
      '3',
    ]);
    expect(second.NextMarker).toBeUndefined();
    const { Functions, NextMarker } = await client.send(new ListFunctionsCommand({ MaxItems: 1 }));
    expect(Functions).toHaveLength(1);
    const rest = await client.send(new ListFunctionsCommand({ Marker: NextMarker }));
    expect(rest.Functions?.map((one) => one.FunctionName)).toContain('paged');
  });
});

describe('provisioned concurrency', () => {
  it('runs instances of the version behind an alias permanently', async () => {
    await created('warm', { Publish: true });
    const names = { FunctionName: 'warm', Qualifier: 'live' };
    await client.send(new CreateAliasCommand({ FunctionName: 'warm', Name: 'live', FunctionVersion: '1' }));
    await expect(client.send(new GetProvisionedConcurrencyConfigCommand(names))).rejects.toMatchObject({
      name: 'ProvisionedConcurrencyConfigNotFoundException',
    });
    expect(
      await client.send(
        new PutProvisionedConcurrencyConfigCommand({ ...names, ProvisionedConcurrentExecutions: 2 }),
      ),
    ).toMatchObject({ Status: 'IN_PROGRESS', RequestedProvisionedConcurrentExecutions: 2 });
    expect(await lambda.control()).toMatchObject({ instances: { warm: 2 } });
    time.pass(PENDING_MS - 1);
    expect(await client.send(new GetProvisionedConcurrencyConfigCommand(names))).toMatchObject({
      Status: 'IN_PROGRESS',
    });
    time.pass(1);
    expect(await client.send(new GetProvisionedConcurrencyConfigCommand(names))).toMatchObject({
      Status: 'READY',
      AvailableProvisionedConcurrentExecutions: 2,
    });
    await client.send(new DeleteProvisionedConcurrencyConfigCommand(names));
    await client.send(new DeleteFunctionCommand({ FunctionName: 'warm' }));
    expect((await lambda.control())['instances']).not.toHaveProperty('warm');
  });

  it('replaces an instance that dies', async () => {
    await created('falling', {
      Code: { ZipFile: aZip('async (event) => { if (event.fall) process.exit(1); return process.pid; }') },
      Publish: true,
    });
    await client.send(
      new PutProvisionedConcurrencyConfigCommand({
        FunctionName: 'falling',
        Qualifier: '1',
        ProvisionedConcurrentExecutions: 1,
      }),
    );
    const { result } = await invoke('falling', {}, '1');
    expect(await invoke('falling', { fall: true }, '1')).toMatchObject({ error: 'Unhandled' });
    expect((await lambda.control())['instances']).toMatchObject({ falling: 1 });
    expect((await invoke('falling', {}, '1')).result).not.toBe(result);
  });

  it('is rejected for code that is not published', async () => {
    await created('cold');
    const command = new PutProvisionedConcurrencyConfigCommand({
      FunctionName: 'cold',
      Qualifier: '$LATEST',
      ProvisionedConcurrentExecutions: 1,
    });
    await expect(client.send(command)).rejects.toMatchObject({ name: 'InvalidParameterValueException' });
  });
});

describe('limits', () => {
  it('rejects a call beyond the limit of the control plane, which does not count GetFunction', async () => {
    await created('limited');
    // A bucket that never has room for a whole call, however slow the machine is.
    await lambda.control({ controlPerSecond: 0.5 });
    const refusal = await client.send(new ListFunctionsCommand({})).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      name: 'TooManyRequestsException',
      Reason: 'CallerRateLimitExceeded',
      $metadata: { httpStatusCode: 429 },
      $retryable: undefined,
    });
    await client.send(new GetFunctionCommand({ FunctionName: 'limited' }));
    expect((await invoke('limited', 1)).result).toBe(1);
  });

  it('the next calls can be rejected on request', async () => {
    await lambda.control({ throttle: 2 });
    for (const _ of [1, 2])
      await expect(client.send(new ListFunctionsCommand({}))).rejects.toMatchObject({
        name: 'TooManyRequestsException',
      });
    await client.send(new ListFunctionsCommand({}));
  });
});

describe('permissions', () => {
  const allow = (Action: string | string[], Resource: string): PolicyStatement => ({
    Effect: 'Allow',
    Action,
    Resource,
  });

  it('creating needs the function, the role, the layer and its tags', async () => {
    const all = [
      allow('lambda:CreateFunction', functionArn('reactor-*')),
      {
        ...allow('iam:PassRole', roleArn('silent')),
        Condition: { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
      },
      allow('lambda:GetLayerVersion', layerArn),
      allow('lambda:TagResource', functionArn('reactor-*')),
    ];
    for (const [index, action] of [
      'lambda:CreateFunction',
      'iam:PassRole',
      'lambda:GetLayerVersion',
      'lambda:TagResource',
    ].entries()) {
      const client = lambda.as(`lacking-${String(index)}`, all.toSpliced(index, 1));
      await expect(client.send(creation('reactor-1', { Tags: { a: 'b' } }))).rejects.toMatchObject({
        name: 'AccessDeniedException',
        message: expect.stringContaining(`perform: ${action} on`),
        $metadata: { httpStatusCode: 403 },
      });
    }
    const maker = lambda.as('maker', all);
    await maker.send(creation('reactor-1', { Tags: { a: 'b' } }));
    await expect(maker.send(creation('other'))).rejects.toMatchObject({ name: 'AccessDeniedException' });
  });

  it('a missing function is denied, not missing, to a caller without access to it', async () => {
    await expect(
      lambda.as('blind', []).send(new GetFunctionCommand({ FunctionName: 'nothing' })),
    ).rejects.toMatchObject({ name: 'AccessDeniedException' });
  });

  it('an alias is a separate resource', async () => {
    await created('guarded', { Publish: true });
    await client.send(
      new CreateAliasCommand({ FunctionName: 'guarded', Name: 'live', FunctionVersion: '1' }),
    );
    const caller = lambda.as('caller', [allow('lambda:InvokeFunction', `${functionArn('guarded')}:live`)]);
    await caller.send(new InvokeCommand({ FunctionName: 'guarded', Qualifier: 'live' }));
    await expect(caller.send(new InvokeCommand({ FunctionName: 'guarded' }))).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
  });

  it('conditions see the tags of a function', async () => {
    await created('owned', { Tags: { team: 'a' } });
    await created('foreign', { Tags: { team: 'b' } });
    const reader = lambda.as('reader', [
      {
        ...allow('lambda:GetFunction', '*'),
        Condition: { StringEquals: { 'aws:ResourceTag/team': 'a' } },
      },
    ]);
    await reader.send(new GetFunctionCommand({ FunctionName: 'owned' }));
    await expect(reader.send(new GetFunctionCommand({ FunctionName: 'foreign' }))).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
  });
});

it('invocations by name, ARN and type', async () => {
  await created('typed');
  expect((await invoke(functionArn('typed'), [1])).result).toEqual([1]);
  const dry = await client.send(new InvokeCommand({ FunctionName: 'typed', InvocationType: 'DryRun' }));
  expect(dry.StatusCode).toBe(204);
  const event = await client.send(new InvokeCommand({ FunctionName: 'typed', InvocationType: 'Event' }));
  expect(event.StatusCode).toBe(202);
});

it('functions in a data folder survive a restart, readable by their owner only', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'functions-'));
  try {
    const first = await aLambda({ dataDir, time });
    await first.control({ controlPerSecond: 1000 });
    await first.client.send(
      creation('saved', { Code: { ZipFile: aZip('async () => "saved"') }, Publish: true }),
    );
    await first.client.send(
      new CreateAliasCommand({ FunctionName: 'saved', Name: 'live', FunctionVersion: '1' }),
    );
    await first.client.send(creation('gone'));
    await first.client.send(new DeleteFunctionCommand({ FunctionName: 'gone' }));
    await first.close();
    expect(readdirSync(dataDir)).toEqual(['saved']);
    for (const file of readdirSync(join(dataDir, 'saved')))
      expect(statSync(join(dataDir, 'saved', file)).mode & 0o777).toBe(0o600);
    time.pass(60_000);
    const second = await aLambda({ dataDir, time });
    try {
      const response = await second.client.send(
        new InvokeCommand({ FunctionName: 'saved', Qualifier: 'live' }),
      );
      expect(Buffer.from(response.Payload ?? []).toString()).toBe('"saved"');
    } finally {
      await second.close();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
