// The commands that are clients of a service: tokens, logs and explain.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openVault } from '../../packages/testing/src/open-vault.ts';
import type { Vault } from '../../packages/testing/src/vault.ts';
import { commandLine } from '../support/command-line.ts';

const NUMBER = '4242424242424242';
const MASKED = 'XXXXXXXXXXXX4242';
const CARD = { type: 'card' as const, data: { number: NUMBER, expiration_month: 12, expiration_year: 2030 } };

const folder = mkdtempSync(join(tmpdir(), 'cloakroom-vault-commands-'));
let vault: Vault;
/** The key of an application that may do everything with tokens, in plaintext. */
let key: string;
let application: string;
let card: string;

beforeAll(async () => {
  ({ vault } = await openVault({}));
  ({ key, id: application } = await vault.applications.create({
    name: 'Billing',
    type: 'private',
    permissions: ['token:create', 'token:search'],
    rules: [
      {
        priority: 1,
        container: '/',
        transform: 'reveal',
        permissions: ['token:read', 'token:delete', 'token:update'],
      },
    ],
  }));
});

beforeEach(async () => {
  ({ id: card } = await vault
    .client({ apiKey: key })
    .tokens.create({ ...CARD, metadata: { customer: '7' } }));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Input {
  readonly apiKey?: string;
  readonly input?: string;
  readonly answer?: string;
}

/** Runs a command line whose environment names the vault. */
function run(args: readonly string[], { apiKey = key, input, answer }: Input = {}) {
  return commandLine(args, {
    environment: { CLOAKROOM_URL: vault.baseUrl, CLOAKROOM_API_KEY: apiKey },
    fetch: vault.fetch,
    ...(input !== undefined && { readInput: () => Promise.resolve(input) }),
    ...(answer !== undefined && { ask: () => Promise.resolve(answer) }),
  });
}
const manage = (args: readonly string[]) => run(args, { apiKey: vault.managementKey });

describe('tokens get', () => {
  it('prints a token with masked data', async () => {
    const { exitCode, out, err } = await run(['tokens', 'get', card]);
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toMatch(new RegExp(`^id +${card}$`, 'm'));
    expect(out).toMatch(/^containers +\/pci\/high\/$/m);
    expect(out).toContain(MASKED);
    expect(out).not.toContain(NUMBER);
  });

  it('prints plaintext after a question, or with --yes', async () => {
    const data = (out: string) => (JSON.parse(out) as { readonly data: unknown }).data;
    const args = ['tokens', 'get', card, '--reveal', '--json'];
    expect(data((await run(args, { answer: 'yes' })).out)).toEqual(CARD.data);
    expect(data((await run([...args, '--yes'])).out)).toEqual(CARD.data);
  });

  it.each([
    [{}, 'The data is printed in plaintext. Confirm it with --yes; nothing was done'],
    [{ answer: 'no' }, 'nothing was done'],
  ])('refuses plaintext without an agreement: %j', async (more, problem) => {
    expect(await run(['tokens', 'get', card, '--reveal'], more)).toEqual({
      exitCode: 2,
      out: '',
      err: `cloakroom: ${problem}\n`,
    });
  });

  it.each([
    ['key_private_wrong', 2, 'the service rejects the key of env:CLOAKROOM_API_KEY: 401'],
    ['', 2, 'env:CLOAKROOM_API_KEY has no key'],
  ])('ends with one line and exit code 2 for the key %j', async (apiKey, code, problem) => {
    const { exitCode, out, err } = await run(['tokens', 'get', card], { apiKey });
    expect([exitCode, out, err]).toEqual([code, '', expect.stringMatching(/^cloakroom: [^\n]+\n$/)]);
    expect(err).toContain(problem);
    expect(err).not.toContain('key_private_wrong');
  });

  it('ends with exit code 2 for an id that no path can have', async () => {
    const { exitCode, err } = await run(['tokens', 'get', '../logs']);
    expect([exitCode, err]).toEqual([2, expect.stringMatching(/^cloakroom: [^\n]+\n$/)]);
    expect(err).not.toContain('TypeError');
  });

  it('ends with exit code 1 for a token that does not exist', async () => {
    const { exitCode, err } = await run(['tokens', 'get', 'absent']);
    expect([exitCode, err]).toEqual([1, expect.stringMatching(/^cloakroom: 404 [^\n]+\n$/)]);
  });
});

describe('tokens list', () => {
  it('prints matching tokens with masked data, one in a line, up to a limit', async () => {
    const own = { metadata: { order: card } };
    const { tokens } = vault.client({ apiKey: key });
    for (let count = 0; count < 3; count += 1) await tokens.create({ ...CARD, ...own });
    const args = ['tokens', 'list', '--metadata', `order=${card}`, '--container', '/pci/'];
    const { out } = await run(args);
    expect(
      out.match(/^[\w-]{36} {2}card {2}\/pci\/high\/ {2}\{"number":"XXXXXXXXXXXX4242".*\}$/gm),
    ).toHaveLength(3);
    const two = await run([...args, '--limit', '2', '--json']);
    expect((JSON.parse(two.out) as { readonly data: unknown }).data).toHaveLength(2);
    expect(two.out + out).not.toContain(NUMBER);
  });
});

describe('tokens create', () => {
  it('reads the body from standard input, and shows the token masked', async () => {
    const { exitCode, out } = await run(['tokens', 'create', '--json'], { input: JSON.stringify(CARD) });
    const { id, data } = JSON.parse(out) as { readonly id: string; readonly data: object };
    expect([exitCode, data]).toEqual([0, { ...CARD.data, number: MASKED }]);
    expect(vault.typeOf(id)).toBe('card');
  });

  it('lets the service refuse a number that JavaScript would change', async () => {
    const file = join(folder, 'token.json');
    writeFileSync(file, '{ "type": "token", "data": 12345678901234567890 }');
    const { exitCode, err } = await run(['tokens', 'create', file]);
    expect([exitCode, err]).toEqual([
      1,
      expect.stringContaining('data: is a number that cannot be stored exactly'),
    ]);
  });

  it.each([
    [{ input: `{"data":"${NUMBER}"` }, 2, 'standard input is not JSON'],
    [{ input: `["${NUMBER}"]` }, 2, 'standard input must contain an object'],
    [{ answer: 'yes' }, 2, 'name a FILE, or send its content to standard input'],
    [{ input: `{"type":"card","data":{"number":"${NUMBER}1"}}` }, 1, '; data.number: '],
  ])('says what is wrong with a body, without its content: %j', async (more, code, problem) => {
    const { exitCode, out, err } = await run(['tokens', 'create'], more);
    expect([exitCode, out, err]).toEqual([code, '', expect.stringContaining(problem)]);
    expect(err).not.toContain(NUMBER);
  });
});

describe('tokens delete', () => {
  it('deletes after a question, or with --yes', async () => {
    expect((await run(['tokens', 'delete', card])).exitCode).toBe(2);
    expect(vault.typeOf(card)).toBe('card');
    expect(await run(['tokens', 'delete', card, '--yes'])).toMatchObject({
      exitCode: 0,
      out: `deleted  ${card}\n`,
    });
    expect(vault.typeOf(card)).toBeUndefined();
  });
});

describe('logs', () => {
  it('prints matching records, the newest first', async () => {
    await run(['tokens', 'get', card]);
    const { out } = await manage(['logs', '--token', card]);
    const [first = '', second = ''] = out.split('\n');
    expect(first).toMatch(
      new RegExp(`^\\S+ {2}getToken {2}ok {2}200 {2}${application} {2}key:\\S+ .* ${card} mask$`),
    );
    expect(second).toContain(`${card} create`);
    const json = await manage(['logs', '--token', card, '--form', 'mask', '--limit', '1', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ data: [{ operation: 'getToken', outcome: 'ok' }] });
  });

  it('ends with exit code 1 where the key may not read the trail', async () => {
    const { exitCode, err } = await run(['logs']);
    expect([exitCode, err]).toEqual([1, expect.stringMatching(/^cloakroom: 403 /)]);
  });
});

describe('explain', () => {
  const asked = ['explain', '--permission', 'token:read', '--container', '/pci/high/'];

  it('says what an application may do, and which rule decides', async () => {
    const { exitCode, out } = await manage([...asked, '--application', application]);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^allowed +true$/m);
    expect(out).toMatch(/^transform +reveal$/m);
    expect(out).toMatch(/^decided_by +rule 1$/m);
    expect(out).toMatch(/^rule 1 +matches: /m);
  });

  it('lines up what decides with its reason, in one column', async () => {
    const { out } = await manage([...asked.with(2, 'token:create'), '--application', application]);
    expect(out).toMatch(/^permissions {2}matches: /m);
    const columns = out
      .trimEnd()
      .split('\n')
      .map((line) => line.search(/(?<= {2})\S/));
    expect(new Set(columns)).toEqual(new Set(['permissions  '.length]));
  });

  it('says what rules would do that no application has', async () => {
    const file = join(folder, 'rules.json');
    const rule = { priority: 1, container: '/pii/', transform: 'reveal', permissions: ['token:read'] };
    writeFileSync(file, JSON.stringify({ rules: [rule] }));
    const { out } = await manage([...asked, '--rules', file, '--json']);
    expect(JSON.parse(out)).toMatchObject({ allowed: false, transform: null });
  });

  it.each([
    [[], "required option '--permission <NAME>' not specified"],
    [['--permission', 'token:raed'], 'Allowed choices are token:create, '],
    [asked.slice(1), 'name either --application or --rules'],
    [[...asked.slice(1), '--application', 'x', '--callback-url', 'y'], '--callback-url needs the --reactor'],
    [
      [...asked.slice(1), '--application', 'x', '--reactor', 'y', '--proxy', 'z'],
      '--reactor and --proxy exclude each other',
    ],
  ])('rejects %j with exit code 2', async (args, problem) => {
    const { exitCode, out, err } = await manage(['explain', ...args]);
    expect([exitCode, out, err]).toEqual([2, '', expect.stringContaining(problem)]);
  });
});
