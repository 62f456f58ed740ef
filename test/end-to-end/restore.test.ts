// The steps of docs/deploy.md, "Restore", as they are written there, on a local account of its own.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ListTablesCommand,
} from '@aws-sdk/client-dynamodb';
import { startAwsCli, type AwsCli } from '../support/aws-cli.ts';
import { dynamodbOf } from '../support/aws.ts';
import { operatorOf } from '../support/operator.ts';
import { runService, temporaryFolder, type RunningService } from '../support/run-service.ts';
import { call, CARD, revealing, type CallOptions } from '../support/service.ts';

const run = promisify(execFile);

let service: RunningService;
let cli: AwsCli;

beforeAll(async () => {
  service = await runService(['--tick', '1', '--set', 'hotConcurrency=0']);
  cli = await startAwsCli(service.credentials.aws_endpoint_url);
});

afterAll(async () => {
  cli.close();
  await service.stop();
});

const client = (key: string) => {
  const request =
    (method: string) =>
    (path: string, body?: unknown, options: CallOptions = {}) =>
      call(key, method, path, { ...options, body, baseUrl: service.credentials.base_url });
  return {
    get: request('GET'),
    post: request('POST'),
    put: request('PUT'),
    patch: request('PATCH'),
    delete: request('DELETE'),
  };
};
const management = () => client(service.credentials.management_key);

async function anApplication(): Promise<{ readonly id: string } & ReturnType<typeof client>> {
  const wanted = {
    name: 'test',
    type: 'private',
    rules: [revealing()],
  };
  const { status, body } = await management().post('/applications', wanted);
  expect(status).toBe(201);
  return { id: body.id, ...client(body.key) };
}

/** The documented blocks of commands, in their order. */
function documented(): readonly string[] {
  const text = readFileSync('docs/deploy.md', 'utf8');
  const section = text.slice(text.indexOf('\n## Restore\n'), text.indexOf('\n## What it costs\n'));
  return [...section.matchAll(/^( *)```sh\n([^]*?)^ *```$/gm)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

const [
  VARIABLES = '',
  BESIDE = '',
  COMPARE = '',
  STOP = '',
  EXCHANGE = '',
  SETTINGS = '',
  GO_ON = '',
  CLEAN_UP = '',
] = documented();

/** Runs blocks with the variables that a deployer would set. Resolves with what they print. */
async function commands(tables: string, ...blocks: readonly string[]): Promise<string> {
  // Nothing keeps what a local table was, so what is restored is what there is when the first step runs.
  const variables = VARIABLES.replace(/^TABLES="[^"]*"/m, `TABLES="${tables}"`).replace(
    /^AT="[^"]*"/m,
    'AT="--use-latest-restorable-time"',
  );
  const script = ['set -euo pipefail', variables, ...blocks].join('\n');
  const { stdout } = await run('bash', ['-c', script], {
    cwd: temporaryFolder(),
    timeout: 60_000,
    env: { ...process.env, PATH: `${cli.folder}:${process.env['PATH'] ?? ''}` },
  });
  return stdout;
}

/** Everything that a deployment says of its tables. */
async function settingsOfTables(): Promise<unknown> {
  const database = dynamodbOf(service.credentials.aws_endpoint_url);
  const { TableNames: names = [] } = await database.send(new ListTablesCommand({}));
  return await Promise.all(
    names
      .filter((name) => !name.endsWith('-restored'))
      .map(async (TableName) => {
        const { Table } = await database.send(new DescribeTableCommand({ TableName }));
        const { TimeToLiveDescription } = await database.send(new DescribeTimeToLiveCommand({ TableName }));
        const { ContinuousBackupsDescription } = await database.send(
          new DescribeContinuousBackupsCommand({ TableName }),
        );
        const { TableId: _, CreationDateTime: __, ...described } = Table ?? {};
        return { ...described, TimeToLiveDescription, ContinuousBackupsDescription };
      }),
  );
}

it('has eight blocks of commands', () => {
  expect(documented()).toHaveLength(8);
});

describe('a restore of Tokens alone', () => {
  it('gives back what was there, forgets what came after, and leaves the rights as they are now', async () => {
    const app = await anApplication();
    const revoked = await anApplication();
    const large = 'x'.repeat(500_000);
    const kept = await app.post('/tokens', { type: 'token', data: large, metadata: { order: '1' } });
    const card = await app.post('/tokens', { type: 'card', data: CARD, metadata: { order: '2' } });
    const unique = { type: 'token', data: 'once', deduplicate_token: true };
    const deduplicated = await app.post('/tokens', unique);
    const before = await settingsOfTables();
    await commands('Tokens', BESIDE);

    // What nobody wanted.
    expect((await app.delete(`/tokens/${kept.body.id}`)).status).toBe(204);
    expect((await app.patch(`/tokens/${card.body.id}`, { metadata: { order: '3' } })).status).toBe(200);
    const key = { headers: { 'SVC-IDEMPOTENCY-KEY': randomUUID() } };
    const later = await app.post('/tokens', { type: 'token', data: 'later' }, key);
    expect(later.status).toBe(201);
    expect((await management().delete(`/applications/${revoked.id}`)).status).toBe(204);
    const added = await anApplication();

    await commands('Tokens', STOP);
    expect(await app.get(`/tokens/${card.body.id}`)).toMatchObject({ status: 503 });
    await commands('Tokens', EXCHANGE, SETTINGS);
    expect((await app.get(`/tokens/${card.body.id}`)).status).toBe(503);
    await commands('Tokens', GO_ON);

    expect(await settingsOfTables()).toEqual(before);
    expect((await app.get(`/tokens/${kept.body.id}`)).body.data).toBe(large);
    expect((await app.get(`/tokens/${card.body.id}`)).body).toMatchObject({
      data: CARD,
      metadata: { order: '2' },
    });
    const found = await app.post('/tokens/search', { query: 'metadata.order:1' });
    expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([kept.body.id]);
    expect((await app.post('/tokens', unique)).body.id).toBe(deduplicated.body.id);
    expect((await app.get(`/tokens/${later.body.id}`)).status).toBe(404);
    // The answer to the key told of a token that is gone: the same request makes another one.
    const again = await app.post('/tokens', { type: 'token', data: 'later' }, key);
    expect(again.status).toBe(201);
    expect((await app.get(`/tokens/${again.body.id}`)).body.data).toBe('later');
    expect((await revoked.get(`/tokens/${card.body.id}`)).status).toBe(401);
    expect((await added.get(`/tokens/${card.body.id}`)).status).toBe(200);
    await commands('Tokens', CLEAN_UP);
  });
});

describe('a restore of all tables', () => {
  it('brings back applications and reactors, and tells which live again', async () => {
    const ALL = 'Tokens Access Reactors';
    const code = 'module.exports = (req) => ({ raw: req.args });';
    const app = await anApplication();
    const deleted = await anApplication();
    const token = await app.post('/tokens', { type: 'token', data: 'kept' });
    const reactor = await management().post('/reactors', { name: 'x', code, configuration: {} });
    expect(reactor.status).toBe(201);
    const path = `/reactors/${reactor.body.id as string}`;
    expect((await app.post(`${path}/react`, { args: [1] })).body).toEqual({ raw: [1] });
    await commands(ALL, BESIDE);

    expect((await management().delete(`/applications/${deleted.id}`)).status).toBe(204);
    expect((await management().delete(path)).status).toBe(204);
    const second = await management().post('/reactors', { name: 'y', code, configuration: {} });
    const { tenant_id: tenant } = service.credentials;
    await operatorOf(service.credentials, { command: 'rotate-keys', tenant_id: tenant });
    const added = await anApplication();

    const told = await commands(ALL, COMPARE);
    expect(told).toContain(`application#${deleted.id}`);
    expect(told).not.toContain(app.id);
    await commands(ALL, STOP, EXCHANGE, SETTINGS, GO_ON);

    expect((await app.get(`/tokens/${token.body.id}`)).body.data).toBe('kept');
    const fresh = await app.post('/tokens', { type: 'token', data: 'fresh' });
    expect((await app.get(`/tokens/${fresh.body.id}`)).body.data).toBe('fresh');
    expect((await added.get(`/tokens/${token.body.id}`)).status).toBe(401);
    // It lives again, until somebody deletes it.
    expect((await deleted.get(`/tokens/${token.body.id}`)).status).toBe(200);
    expect((await management().delete(`/applications/${deleted.id}`)).status).toBe(204);
    expect((await deleted.get(`/tokens/${token.body.id}`)).status).toBe(401);
    // A record without its function, until its code is there again.
    expect((await app.post(`${path}/react`, { args: [1] })).status).toBe(503);
    expect((await management().put(path, { name: 'x', code, configuration: {} })).status).toBe(200);
    expect((await app.post(`${path}/react`, { args: [2] })).body).toEqual({ raw: [2] });
    expect((await app.post(`/reactors/${second.body.id as string}/react`, {})).status).toBe(404);
    expect(await operatorOf(service.credentials, { command: 'health' })).toMatchObject({ healthy: true });
    await commands(ALL, CLEAN_UP);
  });
});
