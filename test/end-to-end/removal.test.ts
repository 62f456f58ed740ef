// Removes a deployment (docs/remove.md) on a separate local account.
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ListBackupsCommand, CreateBackupCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DescribeKeyCommand, KMSClient, paginateListKeys } from '@aws-sdk/client-kms';
import { LambdaClient, ListFunctionsCommand, ListLayerVersionsCommand } from '@aws-sdk/client-lambda';
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  ListStackResourcesCommand,
} from '@aws-sdk/client-cloudformation';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { RemovalAccount } from '../../bin/operator/removal/removal-account.ts';
import { planRemoval } from '../../bin/operator/removal/plan-removal.ts';
import { accountOf } from '../../bin/operator/removal/removal-command.ts';
import { removeDeployment, type RemovalOptions } from '../../bin/operator/removal/remove-deployment.ts';
import { lastExpiry } from '../../bin/operator/removal/trail.ts';
import { requireExports } from '../../bin/operator/removal/verified-exports.ts';
import { commandLine } from '../support/command-line.ts';
import { administratorSettings } from '../../packages/local-aws/src/control.ts';
import { advanceClock } from '../support/advance-clock.ts';
import { dynamodbOf } from '../support/aws.ts';
import { httpClient } from '../support/http-client.ts';
import { runService, TEST_SETTINGS, temporaryFolder, type RunningService } from '../support/run-service.ts';
import { revealing } from '../support/sample-requests.ts';
import { inThoroughRun } from '../../packages/test-kit/src/which-runs.ts';

const DAY_SECONDS = 86_400;
const DAY_MS = DAY_SECONDS * 1_000;
let data = join(temporaryFolder(), 'data');
let service: RunningService;

const start = async (): Promise<void> => {
  service = await runService([...TEST_SETTINGS, '--data', data]);
};

beforeAll(start);
afterAll(() => service.stop());

const settings = () => administratorSettings(service.credentials);
const manager = () => httpClient(service.credentials.base_url, service.credentials.management_key);

/** Runs the command line. */
async function operator(args: readonly string[], answers: readonly string[] = []) {
  const left = [...answers];
  return await commandLine(['operator', ...args, '--local', service.credentialsFile], {
    pause: () => pause(20),
    ...(answers.length > 0 && {
      ask: () => Promise.resolve(left.shift() ?? ''),
    }),
  });
}

const later = (date: Date, days: number) => new Date(date.getTime() + days * DAY_MS);

/** Removes by the clock of the account, or so many days later. */
async function removed(
  options: Partial<RemovalOptions>,
  { account, inDays = 0 }: { readonly account?: RemovalAccount; readonly inDays?: number } = {},
) {
  const said: string[] = [];
  const used = account ?? (await accountOf(service.credentials));
  const response = await removeDeployment(
    {
      account: inDays === 0 ? used : { ...used, now: async () => later(await used.now(), inDays) },
      pause: () => pause(20),
      say: (line) => said.push(line),
    },
    { service: 'Cloakroom', removes: 'all', isDryRun: false, confirm: 'Cloakroom', ...options },
  );
  return { response, said: said.join('\n') };
}

/** An account whose connection ends after a number of calls. */
function cutAfter(account: RemovalAccount, calls: number): RemovalAccount {
  let left = calls;
  return new Proxy(account, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as (...args: readonly unknown[]) => unknown;
      return (...args: readonly unknown[]) => {
        if ((left -= 1) < 0) throw new Error('cut');
        return method(...args);
      };
    },
  });
}

async function keysOf(): Promise<readonly string[]> {
  const client = new KMSClient(settings());
  const usable: string[] = [];
  for await (const { Keys = [] } of paginateListKeys({ client }, {}))
    for (const { KeyId = '' } of Keys) {
      const { KeyMetadata: key } = await client.send(new DescribeKeyCommand({ KeyId }));
      if (key?.KeyState === 'Enabled') usable.push(KeyId);
    }
  return usable;
}

/** Returns everything that is left in the account, by kind. */
async function left() {
  const lambda = new LambdaClient(settings());
  const logs = await new CloudWatchLogsClient(settings()).send(new DescribeLogGroupsCommand({}));
  return {
    tables: (await dynamodbOf(service.credentials).send(new ListTablesCommand({}))).TableNames,
    functions: (await lambda.send(new ListFunctionsCommand({}))).Functions?.map(
      ({ FunctionName }) => FunctionName,
    ),
    layers: (await lambda.send(new ListLayerVersionsCommand({ LayerName: 'Cloakroom-reactor-runtime' })))
      .LayerVersions,
    logs: logs.logGroups?.map(({ logGroupName }) => logGroupName),
    keys: await keysOf(),
  };
}

const REACTOR = { name: 'counts', code: 'module.exports = () => ({ raw: 1 });', configuration: {} };
const NOTHING = { tables: [], functions: [], layers: [], logs: [], keys: [] };

async function anApplication() {
  const { body } = await manager().post('/applications', {
    name: 'a',
    type: 'private',
    rules: [revealing()],
  });
  return httpClient(service.credentials.base_url, body.key);
}

async function queueUrls(): Promise<readonly string[]> {
  const client = new CloudFormationClient(settings());
  const { StackResourceSummaries: all = [] } = await client.send(
    new ListStackResourcesCommand({ StackName: 'Cloakroom-Reactors' }),
  );
  return all.flatMap(({ ResourceType, PhysicalResourceId }) =>
    ResourceType === 'AWS::SQS::Queue' ? (PhysicalResourceId ?? []) : [],
  );
}

let tokenId: string;
let key: string;
let reactorId: string;

async function aDeployment(): Promise<void> {
  const app = await anApplication();
  tokenId = (await app.post('/tokens', { type: 'token', data: 'hello' })).body.id;
  const reactor = await manager().post('/reactors', REACTOR);
  expect(reactor).toMatchObject({ status: 201 });
  reactorId = reactor.body.id;
  const ofKey = await manager().post('/applications', { name: 'b', type: 'private', rules: [revealing()] });
  key = ofKey.body.key;
  // The sealer waits for late records.
  await advanceClock(service.credentials, 300);
  const account = await accountOf(service.credentials);
  while ((await lastExpiry(account, 'Cloakroom-AuditSeals')) === undefined) await pause(200);
}

describe('before a removal', () => {
  beforeAll(aDeployment);

  it('a dry run prints every resource, and deletes nothing', async () => {
    const before = await left();
    const { exitCode, err, out } = await operator(['remove-deployment', '--dry-run', '--json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ deployment: 'Cloakroom', dry_run: true });
    // The function on which a layer is proven belongs to a stack.
    const reactors = before.functions?.filter((name) => /^Cloakroom-reactor-(?!own$)/.test(name ?? '')) ?? [];
    expect(reactors).toHaveLength(1);
    for (const each of [...(before.tables ?? []), ...(before.logs ?? []), ...before.keys, ...reactors])
      expect(err).toContain(each ?? '');
    expect(await left()).toEqual(before);
  });

  it.each([['cloakroom'], ['Cloakroom-2'], ['']])(
    'another name than that of the deployment deletes nothing: %j',
    async (answer) => {
      const before = await left();
      const { exitCode, err } = await operator(['remove-deployment'], [answer]);
      expect([exitCode, err]).toEqual([1, expect.stringContaining('not confirmed; nothing was deleted')]);
      expect(await left()).toEqual(before);
    },
  );
});

inThoroughRun.describe('a removal that keeps the data', () => {
  it('deletes all that costs by the hour, and a new deployment adopts the rest', async () => {
    const before = await left();
    const mapping = join(temporaryFolder(), 'mapping.json');
    await removed({ removes: 'data', mapping });
    const { tables, functions, layers, keys } = await left();
    expect({ tables, functions, layers, keys }).toEqual({
      ...before,
      functions: [],
      layers: [],
      logs: undefined,
    });
    const mapped = Object.values(JSON.parse(readFileSync(mapping, 'utf8')) as object) as readonly object[];
    expect(mapped).toEqual(
      expect.arrayContaining([
        ...(tables ?? []).map((TableName) => ({ TableName })),
        ...keys.map((KeyId) => ({ KeyId })),
      ]),
    );
    expect(mapped).toHaveLength(9);

    await service.stop();
    await start();
    const app = httpClient(service.credentials.base_url, key);
    const found = await app.get(`/tokens/${tokenId}`);
    expect([found.status, found.body.data]).toEqual([200, 'hello']);
    const react = () => app.post(`/reactors/${reactorId}/react`, {});
    // Its next call makes the function again.
    expect((await react()).status).toBe(200);
    const put = await manager().put(`/reactors/${reactorId}`, REACTOR);
    expect([put.status, (await react()).status]).toEqual([200, 200]);
  });
});

describe('a removal', () => {
  it('keeps the trail until its records have expired, and then leaves nothing', async () => {
    const queues = await queueUrls();
    expect(queues).toHaveLength(4);
    const database = dynamodbOf(service.credentials);
    await database.send(new CreateBackupCommand({ TableName: 'Cloakroom-Tokens', BackupName: 'mine' }));

    // Cut off again and again, each time a little later, until a run gets to its end.
    const whole = await accountOf(service.credentials);
    let calls = 40;
    for (; ; calls += 7) {
      const ended = await removed({}, { account: cutAfter(whole, calls) }).then(
        () => true,
        (error: unknown) => {
          expect(error).toHaveProperty('message', 'cut');
          return false;
        },
      );
      if (ended) break;
    }
    const after = await left();
    expect({ ...after, keys: after.keys.length }).toEqual({
      ...NOTHING,
      tables: ['Cloakroom-Audit', 'Cloakroom-AuditIndex', 'Cloakroom-AuditSeals'],
      keys: 2,
    });
    for (const QueueUrl of queues)
      await expect(
        new SQSClient(settings()).send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] })),
      ).rejects.toThrow('does not exist');
    const stack = new DescribeStacksCommand({ StackName: 'Cloakroom-Data' });
    await expect(new CloudFormationClient(settings()).send(stack)).rejects.toThrow('does not exist');
    await expect(fetch(service.credentials.base_url)).rejects.toThrow();
    const backups = await database.send(new ListBackupsCommand({ TableName: 'Cloakroom-Tokens' }));
    expect(backups.BackupSummaries).toEqual([]);

    const again = await removed({ isDryRun: true }, { inDays: 399 });
    expect(again.said).toMatch(/Retained until \d{4}-\d\d-\d\d, when the last sealed record has expired/);
    expect(again.response).toMatchObject({ deleted: 0, retained: 5 });
    // The account has the time, not this machine.
    await advanceClock(service.credentials, 401 * DAY_SECONDS);
    await removed({});
    expect(await left()).toEqual(NOTHING);
    expect((await removed({})).response).toMatchObject({ deleted: 0, retained: 0 });
  });
});

inThoroughRun.describe('a removal of the trail too', () => {
  const folder = temporaryFolder();
  const exports = join(folder, 'exports');
  const pem = join(folder, 'key.pem');
  const PHRASE = 'delete the audit trail of Cloakroom';
  const remove = (...answers: readonly string[]) =>
    operator(['remove-deployment', '--delete-trail', '--exports', exports, '--key', pem], answers);
  const exported = async (tenant: string, ...range: readonly string[]) => {
    const out = join(exports, tenant);
    rmSync(out, { force: true });
    const { exitCode } = await operator(['export-audit', '--tenant', tenant, '--out', out, ...range]);
    expect(exitCode).toBe(0);
  };

  beforeAll(async () => {
    await service.stop();
    data = join(temporaryFolder(), 'data');
    await start();
    await aDeployment();
    mkdirSync(exports);
    const { out } = await operator(['audit-key', '--json']);
    writeFileSync(pem, (JSON.parse(out) as { readonly public_key: string }).public_key);
  });

  it('needs an intact export of each trail, and the phrase', async () => {
    const before = await left();
    await exported('deployment');
    const tenant = service.credentials.tenant_id;
    const without = await remove('Cloakroom', PHRASE);
    expect([without.exitCode, without.err]).toEqual([
      1,
      expect.stringContaining(`lacks the export of ${tenant}`),
    ]);

    await exported(tenant, '--from', '2026-01-01');
    const partial = await remove('Cloakroom', PHRASE);
    expect([partial.exitCode, partial.err]).toEqual([1, expect.stringContaining('only a part of its trail')]);

    await exported(tenant);
    const account = await accountOf(service.credentials);
    const plan = await planRemoval(account, 'Cloakroom', 'trail');
    const files = { folder: exports, key: pem };
    await requireExports(account, plan, files);
    const inTwoDays = { ...plan, now: later(plan.now, 2) };
    await expect(requireExports(account, inTwoDays, files)).rejects.toThrow('is older than a day');
    // Nothing seals without stacks: the day ends with the newest seal.
    const steps = plan.steps.filter(({ kind }) => kind !== 'stack');
    await requireExports(account, { ...inTwoDays, steps }, files);
    // The seals of the table name a trail that no file does.
    const body = JSON.stringify({ from: 0, to: 60_000, expires: 9e9, entries: [['gone', 1, 'root', 1]] });
    const more: RemovalAccount = {
      ...account,
      async *sealBodies(name) {
        yield* account.sealBodies(name);
        yield body;
      },
    };
    await expect(requireExports(more, plan, files)).rejects.toThrow('lacks the export of gone');
    const other: RemovalAccount = {
      ...account,
      async *sealBodies() {
        yield await Promise.resolve(body);
      },
    };
    await expect(requireExports(other, plan, files)).rejects.toThrow(
      'a seal that is not one of the deployment',
    );
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const foreign = join(folder, 'foreign.pem');
    writeFileSync(foreign, publicKey.export({ format: 'pem', type: 'spki' }));
    await expect(requireExports(account, plan, { ...files, key: foreign })).rejects.toThrow(
      'is not the key that signs the seals of Cloakroom',
    );
    const whole = readFileSync(join(exports, tenant), 'utf8');
    writeFileSync(join(exports, tenant), whole.replace('createToken', 'deleteToken'));
    const changed = await remove('Cloakroom', PHRASE);
    expect([changed.exitCode, changed.err]).toEqual([1, expect.stringContaining('is not intact')]);

    writeFileSync(join(exports, tenant), whole);
    const mistyped = await remove('Cloakroom', 'Cloakroom');
    expect([mistyped.exitCode, mistyped.err]).toEqual([1, expect.stringContaining('nothing was deleted')]);
    expect(await left()).toEqual(before);
  });

  it('leaves nothing at all', async () => {
    const { exitCode, err } = await remove('Cloakroom', PHRASE);
    expect([exitCode, exitCode === 0 ? '' : err]).toEqual([0, '']);
    expect(await left()).toEqual(NOTHING);
  });
});
