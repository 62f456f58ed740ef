import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openVault } from '../../../packages/testing/src/open-vault.ts';
import type { Vault } from '../../../packages/testing/src/vault.ts';
import { commandLine } from '../../support/command-line.ts';
import { aSecretsManager } from '../../support/fakes/secrets.ts';

const SECRET = 'sk_live_0123456789abcdef';
const CODE = 'module.exports = async () => ({ raw: { settled: true } });\n';
const FILE = `namespace: shop
tenant: { settings: { ephemeral_proxy: false } }
applications:
  checkout:
    name: Checkout
    type: private
    rules:
      - { priority: 1, container: /pci/, transform: mask, permissions: ["token:create", "token:use"],
          through: { proxies: [psp], reactors: [settle] } }
    keys:
      - { name: 2026-12, to: "file:checkout.json" }
      - { name: 2027-01, source_addresses: [203.0.113.0/24], to: "aws-secret:prod/checkout" }
proxies:
  psp:
    name: PSP
    destination_url: https://api.psp.example.com
    configuration:
      SECRET: { from: "env:PSP_SECRET" }
      OTHER: { from: "aws-secret:prod/psp" }
      REGION: { value: eu, public: true }
    request_transforms:
      - { type: append_header, name: Authorization, value: "Bearer {{ configuration.SECRET }}" }
    response_transforms: [{ type: reactor, reactor: settle }]
    application: checkout
    keys: [{ name: main, to: "aws-secret:prod/psp-key" }]
reactors:
  settle: { name: Settle, code: ./settle.js, configuration: { REGION: eu } }
`;

let vault: Vault;
let folder: string;
let manager: ReturnType<typeof aSecretsManager>;
/** Everything that commands have printed. */
let printed: string;

beforeEach(async () => {
  ({ vault } = await openVault({}));
  folder = mkdtempSync(join(tmpdir(), 'cloakroom-config-'));
  manager = aSecretsManager({ 'prod/psp': `${SECRET}-other` });
  printed = '';
  writeFileSync(join(folder, 'cloakroom.yaml'), FILE);
  writeFileSync(join(folder, 'settle.js'), CODE);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const file = () => join(folder, 'cloakroom.yaml');

async function run(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const options = args[0] === 'plan' || args[0] === 'apply' ? ['--file', file()] : [];
  const outcome = await commandLine(['config', ...args, ...options], {
    environment: {
      CLOAKROOM_URL: vault.baseUrl,
      CLOAKROOM_API_KEY: vault.managementKey,
      PSP_SECRET: SECRET,
      ...more,
    },
    fetch: vault.fetch,
    secretValues: manager.secrets,
  });
  printed += outcome.out + outcome.err;
  return outcome;
}

const written = (text: string) => {
  writeFileSync(file(), text);
};

describe('config', () => {
  it('makes a tenant as a file says, and finds no difference afterwards', async () => {
    expect(await run(['plan', '--exit-code'])).toMatchObject({ exitCode: 4, err: '' });
    const { exitCode, out, err } = await run(['apply', '--yes']);
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toMatch(/3 created, 1 changed, 0 deleted, 3 keys stored\n$/);
    expect(await run(['plan', '--exit-code'])).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining('the tenant is as the file says'),
    });
    expect(await run(['apply'])).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/0 created, 0 changed, 0 deleted, 0 keys stored\n$/),
    });
  });

  it('stores keys that work, in files of their owner alone', async () => {
    await run(['apply', '--yes']);
    const stored = join(folder, 'checkout.json');
    expect(statSync(stored).mode & 0o777).toBe(0o600);
    const { key, key_id: keyId } = JSON.parse(readFileSync(stored, 'utf8'));
    const client = vault.client({ apiKey: key });
    await client.tokens.create({ type: 'token', data: 'x', containers: ['/pci/'] });
    const [application] = (await vault.applications.list({ external_id: 'shop/checkout' })).data;
    const keys = await vault.applications.keys.list(application?.id ?? '');
    expect(keys.map(({ name }) => name).toSorted()).toEqual(['2026-12', '2027-01']);
    expect(keys.map(({ id }) => id)).toContain(keyId);
    expect(JSON.parse(manager.textOf('prod/psp-key') ?? '{}')).toMatchObject({ key: /^key_/ });
  });

  it('prints no value, no key and no code', async () => {
    await run(['plan', '--json', '--out', join(folder, 'plan')]);
    await run(['apply', join(folder, 'plan'), '--yes']);
    written(FILE.replace('eu }', 'us }').replace('name: PSP', 'name: P'));
    writeFileSync(join(folder, 'settle.js'), `${CODE}// changed\n`);
    await run(['plan']);
    await run(['apply', '--yes'], { PSP_SECRET: `${SECRET}-next` });
    const keys = [
      manager.textOf('prod/checkout'),
      manager.textOf('prod/psp-key'),
      readFileSync(join(folder, 'checkout.json'), 'utf8'),
    ];
    for (const secret of [SECRET, 'settled: true', ...keys.map((text) => JSON.parse(text ?? '{}').key)]) {
      expect(printed).not.toContain(secret);
      expect(readFileSync(join(folder, 'plan'), 'utf8')).not.toContain(secret);
    }
  });

  it('refuses a plan of other files, and one that is not the present state', async () => {
    await run(['plan', '--out', join(folder, 'first')]);
    await run(['plan', '--out', join(folder, 'second')]);
    expect((await run(['apply', join(folder, 'first'), '--yes'])).exitCode).toBe(0);
    expect(await run(['apply', join(folder, 'second'), '--yes'])).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('changed since the plan'),
    });
    written(`${FILE}# said again\n`);
    expect(await run(['apply', join(folder, 'second'), '--yes'])).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('is a plan of other files'),
    });
  });

  it('reads all sources before the first write', async () => {
    const { exitCode, err } = await run(['apply', '--yes'], { PSP_SECRET: '' });
    expect([exitCode, err]).toEqual([
      2,
      expect.stringContaining('proxies/psp: SECRET: env:PSP_SECRET is not set'),
    ]);
    expect((await vault.applications.list({ external_id: 'shop/checkout' })).data).toEqual([]);
    const short = await run(['apply', '--yes'], { PSP_SECRET: 'short' });
    expect(short).toMatchObject({ exitCode: 2, err: expect.stringContaining('at least 16 characters') });
  });

  it('asks before it writes, and needs a plan in a pipeline', async () => {
    expect(await run(['apply'])).toMatchObject({ exitCode: 2, err: expect.stringContaining('--yes') });
    expect(await run(['apply', '--yes'], { CI: 'true' })).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('apply needs a plan'),
    });
    await run(['plan', '--out', join(folder, 'plan')]);
    const inPipeline = ['apply', join(folder, 'plan'), '--yes'];
    expect(await run(inPipeline, { CI: 'true' })).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('--allow-file'),
    });
    expect((await run([...inPipeline, '--allow-file'], { CI: 'true' })).exitCode).toBe(0);
  });

  it('changes, renames and deletes what the file says, and nothing else', async () => {
    await run(['apply', '--yes']);
    const byHand = await vault.applications.create({
      name: 'By hand',
      type: 'private',
      permissions: ['token:read'],
    });
    written(
      FILE.replaceAll('checkout:', 'shop:')
        .replace('application: checkout', 'application: shop')
        .replace('- { name: 2026-12, to: "file:checkout.json" }', '')
        .replace(/reactors:\n {2}settle.*\n/, '')
        .replace(', reactors: [settle]', '')
        .replace(/ {4}response_transforms.*\n/, '')
        .concat(
          'moved: { applications/checkout: applications/shop }\nremoved: [reactors/settle, keys/applications/shop/2026-12]\n',
        ),
    );
    const { exitCode, out, err } = await run(['apply', '--yes']);
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toMatch(/0 created, 2 changed, 2 deleted, 0 keys stored\n$/);
    expect((await vault.reactors.list()).data).toEqual([]);
    const applications = await vault.applications.list();
    expect(applications.data.map((each) => each.external_id)).toContain('shop/shop');
    expect(applications.data.find(({ id }) => id === byHand.id)).toMatchObject({ name: 'By hand' });
    expect((await run(['plan', '--exit-code'])).exitCode).toBe(0);
  });

  it('names the problems of a file in lines of their own', async () => {
    written(FILE.replace('type: private', 'type: privat').replace('[settle]', '[setle]'));
    const { exitCode, err } = await run(['plan']);
    expect(exitCode).toBe(2);
    expect(err).toMatch(/cloakroom.yaml:6:11: .*did you mean `private`/);
    expect(err).toMatch(/cloakroom.yaml:9:\d+: .*did you mean `settle`/);
    expect(err).toMatch(/^cloakroom: .* has 2 problems; nothing was done$/m);
  });

  it('sees that a value comes from another variable', async () => {
    await run(['apply', '--yes']);
    written(FILE.replace('env:PSP_SECRET', 'env:OTHER_SECRET'));
    const { out } = await run(['plan']);
    expect(out).toMatch(/configuration.SECRET +another value/);
    const moved = await run(['apply', '--yes'], { OTHER_SECRET: `${SECRET}-other` });
    expect(moved.out).toMatch(/0 created, 1 changed/);
    expect((await run(['plan', '--exit-code'])).exitCode).toBe(0);
  });

  it('deletes what a stopped apply left only after it has said so', async () => {
    await run(['apply', '--yes']);
    const left = await vault.applications.create({
      name: 'Left',
      type: 'private',
      permissions: ['token:read'],
      external_id: 'shop/left#new',
    });
    expect(await run(['plan', '--exit-code'])).toMatchObject({
      exitCode: 3,
      out: expect.stringContaining('- applications/left#new'),
    });
    expect((await run(['apply'])).exitCode).toBe(2);
    expect((await vault.applications.retrieve(left.id)).id).toBe(left.id);
    expect((await run(['apply', '--yes'])).out).toContain('deleted  applications/left#new');
    await expect(vault.applications.retrieve(left.id)).rejects.toMatchObject({ status: 404 });
  });

  it('leads through what another file had when the plan was made, and shows its name in quotes', async () => {
    const other = (name: string) =>
      vault.proxies.create({ name, destination_url: 'https://other.example', external_id: `other/${name}` });
    const good = await other('good');
    const evil = await other('evil');
    written(FILE.replace('proxies: [psp]', 'proxies: [psp, other/good]'));
    const plan = join(folder, 'plan');
    expect((await run(['plan', '--out', plan])).out).toContain('"other/good"');
    const renamed = async ({ id }: { readonly id: string }, name: string) =>
      vault.proxies.update(id, { name, destination_url: 'https://other.example', external_id: name });
    await renamed(good, 'other/former');
    await renamed(evil, 'other/good');
    expect((await run(['apply', plan, '--yes'])).exitCode).toBe(0);
    const [checkout] = (await vault.applications.list({ external_id: 'shop/checkout' })).data;
    const through = checkout?.rules[0]?.through?.proxies ?? [];
    expect([through.includes(good.id), through.includes(evil.id)]).toEqual([true, false]);
  });

  it('knows that it takes rights from the key that applies, though another one has planned', async () => {
    const made = async (name: string, permissions: readonly string[]) =>
      await vault.applications.create({ name, type: 'management', permissions: permissions as never });
    const rights = [
      'application:read',
      'application:create',
      'application:update',
      'tenant:read',
      'tenant:update',
    ];
    const pipeline = await made('Pipeline', [...rights, 'proxy:read', 'reactor:read']);
    const entry = `namespace: shop
applications:
  pipeline: { adopt: ${pipeline.id}, name: Pipeline, type: management, permissions: ["application:read"] }
`;
    written(entry);
    const reviewer = await made('Reviewer', [
      'application:read',
      'proxy:review',
      'reactor:review',
      'tenant:read',
    ]);
    const plan = join(folder, 'plan');
    expect((await run(['plan', '--out', plan], { CLOAKROOM_API_KEY: reviewer.key })).exitCode).toBe(0);
    const applied = await run(['apply', plan, '--yes'], { CLOAKROOM_API_KEY: pipeline.key });
    expect([applied.exitCode, applied.out]).toEqual([2, expect.stringContaining('lockout: it takes')]);
    expect((await vault.applications.retrieve(pipeline.id)).permissions).toContain('application:update');
  });

  it('refuses what the service would refuse of an expression, before any call', async () => {
    written(FILE.replace('Bearer {{ configuration.SECRET }}', 'Bearer {{ configuration.SECRT }}'));
    expect(await run(['plan'])).toMatchObject({
      exitCode: 2,
      err: expect.stringMatching(
        /request_transforms\[0\].value names `SECRT`, which the configuration lacks/,
      ),
    });
  });
});
