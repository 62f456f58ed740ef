// Follows the steps of docs/restore.md on a separate local account.
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ListTablesCommand,
} from '@aws-sdk/client-dynamodb';
import { commandLine } from '../support/command-line.ts';
import { allItems, bytesOf, dynamodbOf } from '../support/aws.ts';
import { advanceClock } from '../support/advance-clock.ts';
import { httpClient, type Body } from '../support/http-client.ts';
import { operatorOf } from '../support/operator.ts';
import {
  CLOSED_PORT,
  runService,
  TEST_SETTINGS,
  temporaryFolder,
  type RunningService,
} from '../support/run-service.ts';
import { CARD, revealing } from '../support/sample-requests.ts';

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await pause(200);
}

let service: RunningService;

beforeAll(async () => {
  service = await runService(TEST_SETTINGS);
});

afterAll(async () => {
  await service.stop();
});

const client = (key: string) => httpClient(service.credentials.base_url, key);
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

const folder = temporaryFolder();

/** Runs a step on the command line. Resolves with its exit code and its output. */
async function restore(...args: readonly string[]): Promise<{ code: number; printed: string }> {
  let printed = '';
  const print = (text: string) => (printed += text);
  const [step = '', ...rest] = args;
  const confirmed = step === 'beside' ? [] : ['--yes'];
  const line = ['operator', 'restore', step, ...rest, ...confirmed, '--folder', folder];
  const { exitCode } = await commandLine([...line, '--local', service.credentialsFile], {
    print,
    printError: print,
    isTerminal: false,
    pause: () => pause(200),
  });
  return { code: exitCode, printed };
}

/** Writes the lists again, as if `beside` had been interrupted before its comparison. */
async function compared(...tables: readonly string[]): Promise<void> {
  const file = join(folder, 'state.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"compared"', '"copying"'));
  await restored('beside', 'latest', ...tables);
}

/** A step that must succeed. */
async function restored(...args: readonly string[]): Promise<void> {
  const { code, printed } = await restore(...args);
  expect({ code, printed: code === 0 ? '' : printed }).toEqual({ code: 0, printed: '' });
}

const listed = (name: string): readonly string[] =>
  readFileSync(join(folder, `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter(Boolean);

/** Removes from a list of deleted items the ones to restore. */
function letComeBack(name: string, ...ids: readonly string[]): void {
  const left = listed(name).filter((line) => !ids.some((id) => line.includes(id)));
  writeFileSync(join(folder, `${name}.jsonl`), left.map((line) => `${line}\n`).join(''));
}

/** Returns everything that DynamoDB describes of the tables. */
async function settingsOfTables(): Promise<unknown> {
  const database = dynamodbOf(service.credentials);
  const { TableNames: names = [] } = await database.send(new ListTablesCommand({}));
  return await Promise.all(
    names
      .filter((name) => !name.includes('-at-'))
      .map(async (TableName) => {
        const { Table } = await database.send(new DescribeTableCommand({ TableName }));
        const { TimeToLiveDescription } = await database.send(new DescribeTimeToLiveCommand({ TableName }));
        const { ContinuousBackupsDescription } = await database.send(
          new DescribeContinuousBackupsCommand({ TableName }),
        );
        const { TableId: _, CreationDateTime: __, RestoreSummary: ___, ...described } = Table ?? {};
        const { PointInTimeRecoveryDescription: recovery } = ContinuousBackupsDescription ?? {};
        return { ...described, TimeToLiveDescription, recovery: recovery?.PointInTimeRecoveryStatus };
      }),
  );
}

/** The hash of the newest seal that the Access table has. */
async function head(): Promise<string | undefined> {
  const isInUse = (name: string) => name.includes('Access') && !name.includes('-at-');
  const items = await allItems(service.credentials, isInUse);
  const bytes = items.find(({ pk, sk }) => pk?.S === 'audit' && sk?.S === 'head')?.['seal']?.B;
  return bytes && Buffer.from(bytes).toString('base64');
}

/** Advances the clock by minutes until the sealer has moved the head. */
async function sealedAgain(from?: string): Promise<string | undefined> {
  await advanceClock(service.credentials, 180);
  await until(async () => ![undefined, from].includes(await head()));
  return await head();
}

it.each([['Access'], ['Tokens', 'Access'], ['Ephemeral'], []])(
  'rejects a restore of access without every table that is encrypted under its keys: %j',
  async (...tables) => {
    expect((await restore('beside', 'latest', ...tables)).code).toBe(2);
  },
);

it.each([['Audit'], ['AuditIndex'], ['AuditSeals'], ['Tokens', 'Access', 'Reactors', 'Audit']])(
  'rejects a restore of the audit trail: %j',
  async (...tables) => {
    const { code, printed } = await restore('beside', 'latest', ...tables);
    expect(code).toBe(2);
    expect(printed).toMatch(/^cloakroom: the audit trail cannot be restored: .* would be lost/);
  },
);

describe('a restore of Tokens alone', () => {
  it('restores the selected tokens, discards later writes, and leaves access unchanged', async () => {
    const app = await anApplication();
    const revoked = await anApplication();
    const large = 'x'.repeat(500_000);
    const existing = await app.post('/tokens', { type: 'token', data: large, metadata: { order: '1' } });
    const dead = await app.post('/tokens', {
      // Ids are callers' text, and input of the script.
      id: `it's "quoted" ✓ $(id) \`id\` ${randomUUID()}`,
      type: 'token',
      data: 'to be forgotten',
      metadata: { order: '1' },
      deduplicate_token: true,
    });
    const card = await app.post('/tokens', { type: 'card', data: CARD, metadata: { order: '2' } });
    const late = await app.post('/tokens', { type: 'token', data: 'late' });
    const before = await settingsOfTables();
    await restored('beside', 'latest', 'Tokens');

    const pathOf = ({ body }: { body: Body }) => `/tokens/${encodeURIComponent(body.id as string)}`;
    for (const token of [existing, dead]) expect((await app.delete(pathOf(token))).status).toBe(204);
    expect((await app.patch(`/tokens/${card.body.id}`, { metadata: { order: '3' } })).status).toBe(200);
    const key = { headers: { 'SVC-IDEMPOTENCY-KEY': randomUUID() } };
    const later = await app.post('/tokens', { type: 'token', data: 'later' }, key);
    expect(later.status).toBe(201);
    const named = { type: 'token', id: `named-${randomUUID()}`, data: 'named' };
    expect((await app.post('/tokens', named)).status).toBe(201);
    expect((await management().delete(`/applications/${revoked.id}`)).status).toBe(204);
    const added = await anApplication();

    await compared('Tokens');
    expect(listed('deleted-Tokens')).toHaveLength(2);
    expect(listed('changed-Tokens').join()).toContain(card.body.id);
    letComeBack('deleted-Tokens', existing.body.id);
    letComeBack('changed-Tokens', card.body.id);
    // Requests continue while the lists are read.
    expect((await app.delete(`/tokens/${late.body.id}`)).status).toBe(204);
    await restored('exchange');

    expect(await settingsOfTables()).toEqual(before);
    expect((await app.get(`/tokens/${existing.body.id}`)).body.data).toBe(large);
    expect((await app.get(`/tokens/${card.body.id}`)).body).toMatchObject({
      data: CARD,
      metadata: { order: '2' },
    });
    // Everything that had to stay deleted is missing on every path, and is then removed with all
    // its records.
    for (const token of [dead, late]) expect((await app.get(pathOf(token))).status).toBe(404);
    // A second run would lose the writes since the first one.
    expect((await restore('exchange')).code).toBe(1);
    const { body: all } = await app.get('/tokens?size=100');
    expect(all.data.map(({ id }: { id: string }) => id)).not.toContain(dead.body.id);
    const found = await app.post('/tokens/search', { query: 'metadata.order:1' });
    expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([existing.body.id]);
    const recreated = await app.post('/tokens', {
      type: 'token',
      data: 'to be forgotten',
      deduplicate_token: true,
    });
    expect(recreated.status).toBe(201);
    expect(recreated.body.id).not.toBe(dead.body.id);
    expect((await app.get(`/tokens/${later.body.id}`)).status).toBe(404);
    // Clients may still refer to ids that the restored table never had, or whose tokens are gone.
    expect((await app.get(`/tokens/${named.id}`)).status).toBe(404);
    for (const id of [named.id, dead.body.id])
      expect((await app.post('/tokens', { ...named, id })).status).toBe(409);
    // The stored response names a deleted token: the same request creates another one.
    const again = await app.post('/tokens', { type: 'token', data: 'later' }, key);
    expect(again.status).toBe(201);
    expect((await app.get(`/tokens/${again.body.id}`)).body.data).toBe('later');
    expect((await revoked.get(`/tokens/${card.body.id}`)).status).toBe(401);
    expect((await added.get(`/tokens/${card.body.id}`)).status).toBe(200);
    // The audit trail still names it.
    const isOfTokens = (name: string) => !name.includes('Audit');
    const left = async () =>
      (await allItems(service.credentials, isOfTokens)).filter((item) =>
        bytesOf(item).includes(dead.body.id as string),
      );
    await restored('clean');
    await advanceClock(service.credentials, 60);
    // Only its id stays: it names no other token.
    await until(async () => (await left()).every((item) => item['isGone']?.BOOL === true));
  });
});

describe('a restore of all tables', () => {
  it('brings back what was asked for, and nothing that was revoked', async () => {
    const code = 'module.exports = (req) => ({ raw: req.args });';
    const app = await anApplication();
    const deleted = await anApplication();
    const token = await app.post('/tokens', { type: 'token', data: 'saved' });
    const reactor = await management().post('/reactors', { name: 'x', code, configuration: {} });
    expect(reactor.status).toBe(201);
    const path = `/reactors/${reactor.body.id as string}`;
    expect((await app.post(`${path}/react`, { args: [1] })).body).toEqual({ raw: [1] });
    const later = await app.post(`${path}/react`, {
      args: [1],
      callback_url: `https://localhost:${String(CLOSED_PORT)}/hook`,
    });
    expect(later.status).toBe(202);
    const before = await settingsOfTables();
    const headThen = await sealedAgain();
    await restored('beside', 'latest', 'Tokens', 'Access', 'Reactors');

    expect((await management().delete(`/applications/${deleted.id}`)).status).toBe(204);
    expect((await management().delete(path)).status).toBe(204);
    const second = await management().post('/reactors', { name: 'y', code, configuration: {} });
    const { tenant_id: tenant } = service.credentials;
    await operatorOf(service.credentials, { command: 'rotate-keys', tenant_id: tenant });
    const added = await anApplication();

    await compared('Tokens', 'Access', 'Reactors');
    expect(listed('deleted-Access').join()).toContain(deleted.id);
    expect(listed('deleted-Access').join()).not.toContain(app.id);
    for (const name of ['deleted-Access', 'changed-Access'])
      expect(listed(name).join()).not.toContain('head');
    letComeBack('deleted-Reactors', reactor.body.id);
    expect(await sealedAgain(headThen)).not.toBe(headThen);
    await restored('exchange');
    const state = readFileSync(join(folder, 'state.json'), 'utf8');
    expect((JSON.parse(state) as { functions: unknown[] }).functions).toHaveLength(12);

    expect(await settingsOfTables()).toEqual(before);
    expect((await app.get(`/tokens/${token.body.id}`)).body.data).toBe('saved');
    const fresh = await app.post('/tokens', { type: 'token', data: 'fresh' });
    expect((await app.get(`/tokens/${fresh.body.id}`)).body.data).toBe('fresh');
    // A token that was created since stays too.
    expect((await added.get(`/tokens/${token.body.id}`)).status).toBe(200);
    expect((await deleted.get(`/tokens/${token.body.id}`)).status).toBe(401);
    expect((await management().get(`/applications/${deleted.id}`)).status).toBe(404);
    // Its content is deleted, so its state is too: it is neither run nor delivered again.
    const result = await app.get(`${path}/results/${later.body.id as string}`);
    expect(result.status).toBe(404);
    // A record without its function: the call makes it again.
    expect((await app.post(`${path}/react`, { args: [1] })).body).toEqual({ raw: [1] });
    expect((await management().put(path, { name: 'x', code, configuration: {} })).status).toBe(200);
    expect((await app.post(`${path}/react`, { args: [2] })).body).toEqual({ raw: [2] });
    expect((await app.post(`/reactors/${second.body.id as string}/react`, { args: [3] })).body).toEqual({
      raw: [3],
    });
    expect(await operatorOf(service.credentials, { command: 'health' })).toMatchObject({ healthy: true });
    // The chain continues from the head before the restore.
    const headNow = await head();
    expect(headNow).not.toBe(headThen);
    await sealedAgain(headNow);
    const { public_key: publicKey } = (await operatorOf(service.credentials, {
      command: 'audit-key',
    })) as Body;
    const verified = (await operatorOf(service.credentials, {
      command: 'verify-audit',
      public_key: publicKey,
    })) as Body;
    expect(verified).toMatchObject({ intact: true, next: null });
    expect(verified.seals).toBeGreaterThan(2);
    expect(verified.records).toBeGreaterThan(verified.not_sealed_yet);
    await restored('clean');
    const tables = await dynamodbOf(service.credentials).send(new ListTablesCommand({}));
    expect(tables.TableNames).toHaveLength(7);
  });
});
