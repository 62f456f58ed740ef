// The command calls a service in memory.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Manifest } from '../../../bin/export/manifest/manifest.ts';
import type { StreamSurroundings } from '../../../bin/command-line/stream-surroundings.ts';
import { openVault } from '../../../packages/testing/src/open-vault.ts';
import type { Vault } from '../../../packages/testing/src/vault.ts';
import { commandLine } from '../../support/command-line.ts';

const NUMBER = '4242424242424242';
const CARD = { number: NUMBER, expiration_month: 12, expiration_year: 2030 };
const SSN = '123-45-6789';
/** Its text would be a row, a formula, and a command of the terminal. */
const HOSTILE = '=1+1"\r\nforged,card,4111111111111111\r\n\u001b[2J\u2028';

let vault: Vault;
let folder: string;
/** It sees personal data masked, and nothing of notes. */
let key: string;
/** It sees everything in plaintext. */
let revealing: string;

const rule = (priority: number, container: string, transform: 'reveal' | 'mask' | 'redact') => ({
  priority,
  container,
  transform,
  permissions: ['token:read' as const],
});

const anExporter = async (rules: readonly ReturnType<typeof rule>[]) =>
  await vault.applications.create({ name: 'Exporter\u001b[2J', type: 'private', rules });

beforeAll(async () => {
  ({ vault } = await openVault({}));
  ({ key } = await anExporter([
    rule(1, '/pii/', 'mask'),
    rule(2, '/note/', 'redact'),
    rule(3, '/', 'reveal'),
  ]));
  ({ key: revealing } = await anExporter([rule(1, '/', 'reveal')]));
  const { key: maker } = await vault.applications.create({
    name: 'Maker',
    type: 'private',
    permissions: ['token:create'],
  });
  const { tokens } = vault.client({ apiKey: maker });
  await tokens.create({
    id: 'card-1',
    type: 'card',
    data: { ...CARD, cvc: '123' },
    metadata: { customer: '7' },
  });
  await tokens.create({ id: 'ssn-1', type: 'social_security_number', data: SSN });
  await tokens.create({ id: 'note-1', type: 'token', data: 'private note', containers: ['/note/'] });
  await tokens.create({ id: 'hostile', type: 'token', data: HOSTILE, metadata: { '=a': HOSTILE } });
  await tokens.create({ id: 'large-1', type: 'token', data: 'x'.repeat(400_000) });
  await tokens
    .create({ id: 'expired', type: 'token', data: 'x', expires_at: vault.clock.now().toISOString() })
    .catch(() => undefined);
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloakroom-export-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const file = () => join(folder, 'manifest.json');
const manifest = () => JSON.parse(readFileSync(file(), 'utf8')) as Manifest;

/** Runs an export to standard output, which is no terminal. */
async function run(
  args: readonly string[],
  more: Partial<StreamSurroundings> & { readonly apiKey?: string } = {},
) {
  const { apiKey = key, ...surroundings } = more;
  const chunks: Uint8Array[] = [];
  const outcome = await commandLine(['export', '--manifest', file(), ...args], {
    environment: { CLOAKROOM_URL: vault.baseUrl, CLOAKROOM_API_KEY: apiKey, PATH: process.env['PATH'] },
    fetch: vault.fetch,
    isTerminal: false,
    output: (bytes) => {
      chunks.push(bytes);
      return Promise.resolve();
    },
    ...surroundings,
  });
  return { ...outcome, text: Buffer.concat(chunks).toString() };
}

const rowsIn = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

describe('export', () => {
  it('writes what the key sees, and says so before it starts', async () => {
    const { exitCode, text, err, out } = await run(['--to', 'csv', '--yes']);
    expect([exitCode, out]).toEqual([0, '']);
    expect(err.split('\n')).toEqual([
      'The application Exporter\\u{001b}[2J sees',
      '  /pii/: masked',
      '  /note/: without data',
      '  /: in plaintext',
      expect.stringMatching(/^5 tokens; about 4 requests, less than 0\.01 dollars by list prices$/),
      `exported 5 tokens (3 in plaintext, 1 masked, 1 without data) in 1 part; the manifest is ${file()}`,
      '',
    ]);
    const rows: readonly Record<string, string>[] = parse(text, { columns: true, record_delimiter: '\r\n' });
    expect(rows.map(({ id }) => id)).toEqual(['large-1', 'hostile', 'note-1', 'ssn-1', 'card-1']);
    expect(rows[0]).toMatchObject({ value: 'x'.repeat(400_000) });
    expect(rows[1]).toMatchObject({ value: HOSTILE, metadata: expect.stringContaining('\\u2028') });
    expect(rows[2]).toMatchObject({ value: '', json: '' });
    expect(rows[3]).toMatchObject({ value: 'XXX-XX-6789' });
    expect(rows[4]).toMatchObject({ number: NUMBER, expiration_month: '12', metadata: '{"customer":"7"}' });
    expect(manifest()).toMatchObject({
      complete: true,
      rows: 5,
      tenant: vault.tenantId,
      shown: { reveal: 3, mask: 1, redact: 1 },
      parts: [
        { sha256: createHash('sha256').update(text).digest('hex'), first_id: 'large-1', last_id: 'card-1' },
      ],
    });
    expect(readdirSync(folder)).toEqual(['manifest.json']);
  });

  it('writes bodies that make the tokens again, without a cvc', async () => {
    const { text } = await run(['--to', 'cloakroom', '--yes'], { apiKey: revealing });
    const rows = rowsIn(text);
    expect(Object.keys(rows[4] ?? {})).toEqual([
      ...['id', 'type', 'data', 'mask', 'containers', 'metadata', 'search_indexes', 'fingerprint_expression'],
    ]);
    expect(rows[4]).toMatchObject({
      id: 'card-1',
      data: CARD,
      search_indexes: ['{{ data.number | last4 }}'],
    });
    expect(rows[4]?.['data']).not.toHaveProperty('cvc');
    expect(rows[1]).toMatchObject({ id: 'hostile', data: HOSTILE, mask: null, search_indexes: [] });
    expect(text).not.toMatch(/(?!\n)\p{Cc}|\u2028|\u2029/u);
  });

  it('writes Token objects as they are shown', async () => {
    const { text } = await run(['--to', 'ndjson', '--yes']);
    const [large, , note, ssn] = rowsIn(text);
    expect(large).toMatchObject({ tenant_id: vault.tenantId, created_at: expect.any(String), mask: null });
    expect(large).not.toHaveProperty('_extras');
    expect(note).not.toHaveProperty('data');
    expect(ssn).toMatchObject({ data: 'XXX-XX-6789', mask: '{{ data | reveal_last: 4 }}' });
  });

  it('applies every filter', async () => {
    const filtered = async (...args: readonly string[]) =>
      rowsIn((await run(['--to', 'ndjson', '--yes', ...args])).text).map(({ id }) => id);
    const all = ['large-1', 'hostile', 'note-1', 'ssn-1', 'card-1'];
    expect(await filtered('--container', '/pci/')).toEqual(['card-1']);
    rmSync(file());
    expect(await filtered('--metadata', 'customer=7')).toEqual(['card-1']);
    rmSync(file());
    expect(await filtered('--type', 'card', '--type', 'social_security_number')).toEqual(['ssn-1', 'card-1']);
    rmSync(file());
    expect(await filtered('--created-after', '2000-01-01')).toEqual(all);
    rmSync(file());
    expect(await filtered('--created-before', '2000-01-01')).toEqual([]);
    expect(manifest()).toMatchObject({
      complete: true,
      rows: 0,
      filter: { created_before: '2000-01-01T00:00:00+00:00' },
    });
  });

  it('sends parts to a command, and goes on behind those that are done', async () => {
    const command = `[ {n} = 0002 ] && [ ! -e ${folder}/again ] && exit 1; cat > ${folder}/part-{n}`;
    const args = ['--to', 'ndjson', '--part-rows', '2', '--exec', command, '--yes'];
    const first = await run(args);
    expect([first.exitCode, first.text]).toEqual([1, '']);
    expect(first.err).toMatch(
      /\ncloakroom: part 0002: the command ended with exit code 1; run the same again to go on\n$/,
    );
    expect(manifest()).toMatchObject({ complete: false, rows: 2 });
    writeFileSync(join(folder, 'again'), '');
    const second = await run(args);
    expect(second.err).toContain('\ngoes on after part 0001, with 2 tokens so far\n');
    expect(second.exitCode).toBe(0);
    const parts = ['part-0001', 'part-0002', 'part-0003'].map((name) =>
      readFileSync(join(folder, name), 'utf8'),
    );
    expect(parts.flatMap(rowsIn).map(({ id }) => id)).toEqual([
      'large-1',
      'hostile',
      'note-1',
      'ssn-1',
      'card-1',
    ]);
    expect(manifest().parts.map(({ sha256 }) => sha256)).toEqual(
      parts.map((text) => createHash('sha256').update(text).digest('hex')),
    );
    const third = await run(args);
    expect([third.exitCode, third.err]).toEqual([
      2,
      `cloakroom: ${file()} is the manifest of a complete export; nothing was done\n`,
    ]);
  });

  it('passes no key to a command', async () => {
    await run(['--to', 'ndjson', '--exec', `cat > /dev/null; env > ${folder}/env`, '--yes']);
    expect(readFileSync(join(folder, 'env'), 'utf8')).not.toContain('key_private');
    expect(readFileSync(join(folder, 'env'), 'utf8')).toContain('CLOAKROOM_URL=');
  });

  it('fails if standard output is closed, and begins again', async () => {
    const closed = () => Promise.reject(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    const { exitCode, err } = await run(['--to', 'csv', '--yes'], { output: closed });
    expect([exitCode, err.split('\n').at(-2)]).toEqual([
      1,
      'cloakroom: standard output cannot be written (EPIPE); what was written is no whole export',
    ]);
    expect(manifest()).toMatchObject({ complete: false, parts: [] });
    expect((await run(['--to', 'csv', '--yes'])).exitCode).toBe(0);
  });

  it('stops with a key that is refused meanwhile, and says how it goes on', async () => {
    const { key: short, id } = await anExporter([rule(1, '/', 'reveal')]);
    const args = ['--to', 'ndjson', '--part-rows', '2', '--exec', `cat > ${folder}/part-{n}`, '--yes'];
    const fetch: StreamSurroundings['fetch'] = async (input, init) => {
      if (readdirSync(folder).includes('part-0001'))
        await vault.applications.delete(id).catch(() => undefined);
      return await vault.fetch(input, init);
    };
    const { exitCode, err } = await run(args, { apiKey: short, fetch });
    expect([exitCode, err.split('\n').at(-2)]).toEqual([
      1,
      expect.stringMatching(/^cloakroom: 401 .*; run the same again to go on$/),
    ]);
    expect(err).not.toContain(short);
    expect(manifest()).toMatchObject({ complete: false });
  });

  it('asks before anything leaves', async () => {
    const asked: string[] = [];
    const ask = (question: string) => {
      asked.push(question);
      return Promise.resolve('no');
    };
    const { exitCode, text, err } = await run(['--to', 'csv'], { ask });
    expect([exitCode, text, err.split('\n').at(-2)]).toEqual([2, '', 'cloakroom: nothing was done']);
    expect(asked).toEqual(['What the key sees leaves the vault, to standard output. Continue? Enter yes: ']);
    expect(readdirSync(folder)).toEqual([]);
    expect((await run(['--to', 'csv'])).err).toContain('Confirm it with --yes; nothing was done');
  });

  it.each([
    [['--to', 'ndjson', '--columns', 'id'], '--columns needs --to csv'],
    [['--to', 'cloakroom', '--spreadsheet'], '--spreadsheet needs --to csv'],
    [['--to', 'csv', '--columns', 'id,nmae'], '--columns: nmae is not known'],
    [['--to', 'csv', '--part-rows', '10'], '--part-rows needs --exec'],
    [['--to', 'csv', '--part-rows', '10', '--exec', 'cat'], '--exec needs {n}'],
    [['--to', 'csv', '--part-rows', '0'], '--part-rows must be a whole number'],
    [['--to', 'csv', '--type', 'crad'], 'did you mean `card`?'],
    [['--to', 'csv', '--created-after', 'yesterday'], '--created-after must be a date'],
    [['--to', 'csv', '--sign-with', '/absent'], '--sign-with /absent: cannot be read'],
    [['--to', 'xml'], "argument 'xml' is invalid"],
    [[], "required option '--to <FORMAT>' not specified"],
  ])('refuses the options %j before any call', async (args, problem) => {
    const fetch = () => Promise.reject(new Error('called'));
    const { exitCode, err, text } = await run([...args, '--yes'], { fetch });
    expect([exitCode, text]).toEqual([2, '']);
    expect(err).toContain(problem);
  });

  it('refuses a terminal, and standard output without the file of a manifest', async () => {
    const terminal = await run(['--to', 'csv', '--yes'], { isTerminal: true });
    expect([terminal.exitCode, terminal.text]).toEqual([2, '']);
    expect(terminal.err).toContain('standard output is a terminal');
    const { exitCode, err } = await commandLine(['export', '--to', 'csv', '--yes'], { isTerminal: false });
    expect([exitCode, err]).toEqual([
      2,
      expect.stringContaining('name the file of the manifest by --manifest'),
    ]);
  });

  it('refuses a key that cannot export, or that the service rejects', async () => {
    const { key: masking } = await anExporter([rule(1, '/', 'mask')]);
    const masked = await run(['--to', 'cloakroom', '--yes'], { apiKey: masking });
    expect([masked.exitCode, masked.text]).toEqual([2, '']);
    expect(masked.err).toContain('shows no token in plaintext');
    for (const apiKey of [vault.managementKey, 'key_private_wrong']) {
      const { exitCode, text, err } = await run(['--to', 'csv', '--yes'], { apiKey });
      expect([exitCode, text]).toEqual([2, '']);
      expect(err).toMatch(/cloakroom: 40[13] [^\n]*; nothing was done\n$/);
      expect(err).not.toContain(apiKey);
    }
  });

  it('refuses to go on with other options or by another application', async () => {
    const args = ['--to', 'ndjson', '--part-rows', '2', '--exec', 'cat > /dev/null; [ {n} = 0001 ]', '--yes'];
    expect((await run(args)).exitCode).toBe(1);
    const others = [run([...args, '--type', 'card']), run(args, { apiKey: revealing })];
    for (const { exitCode, err } of await Promise.all(others)) {
      expect(exitCode).toBe(2);
      expect(err).toMatch(
        /is the manifest of an export with other values of (?:filter|application); nothing was done\n$/,
      );
    }
  });
});
