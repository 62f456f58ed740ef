import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportTenant } from '../../../../bin/config/export/export-tenant.ts';
import { yamlText } from '../../../../bin/config/export/yaml-text.ts';
import { Problems } from '../../../../bin/config/file/problems.ts';
import { valueOf, yamlTree } from '../../../../bin/config/file/yaml-tree.ts';
import { openVault } from '../../../../packages/testing/src/open-vault.ts';
import type { Vault } from '../../../../packages/testing/src/vault.ts';
import { cases, fc } from '../../../../packages/test-kit/src/properties.ts';
import type { JsonObject } from '../../../../src/core/shared/json.ts';
import { commandLine } from '../../../support/command-line.ts';
import { aSecretsManager } from '../../../support/fakes/secrets.ts';

const SECRET = 'sk_live_0123456789abcdef';
const CODE = 'module.exports = async () => ({ raw: "settled" });';

let vault: Vault;
let folder: string;
let printed: string;

beforeEach(async () => {
  ({ vault } = await openVault({}));
  folder = mkdtempSync(join(tmpdir(), 'cloakroom-config-export-'));
  printed = '';
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const outcome = await commandLine(['config', ...args], {
    environment: {
      CLOAKROOM_URL: vault.baseUrl,
      CLOAKROOM_API_KEY: vault.managementKey,
      ...environment,
    },
    fetch: vault.fetch,
    secretValues: aSecretsManager().secrets,
  });
  printed += outcome.out + outcome.err;
  return outcome;
}
const file = () => join(folder, 'cloakroom.yaml');

/** Makes a tenant as a person would in the console. */
async function byHand() {
  const { id: reactor } = await vault.reactors.create({
    name: 'Settle: día',
    code: CODE,
    configuration: { REGION: SECRET },
    runtime: { image: 'node24' },
  });
  const { id: actor } = await vault.applications.create({
    name: 'No',
    type: 'private',
    permissions: ['token:read'],
  });
  const { id: proxy } = await vault.proxies.create({
    name: 'PSP',
    destination_url: 'https://api.psp.example.com',
    configuration: { SECRET },
    application: { id: actor },
    request_transforms: [
      { type: 'append_header', name: 'Authorization', value: 'Bearer {{ configuration.SECRET }}' },
    ],
    response_transforms: [{ type: 'reactor', reactor_id: reactor }],
    pass_headers: [],
  });
  const { id: checkout } = await vault.applications.create({
    name: 'No',
    type: 'private',
    rules: [
      {
        priority: 1,
        description: 'yes',
        container: '/pci/',
        transform: 'mask',
        permissions: ['token:use'],
        through: { proxies: [proxy], reactors: [reactor] },
      },
    ],
  });
  await vault.applications.keys.create(checkout, { name: '2026-12', source_addresses: ['203.0.113.7'] });
  await vault.applications.create({
    name: 'Of another file',
    type: 'private',
    permissions: ['token:read'],
    external_id: 'other/web',
  });
}

describe('config export', () => {
  it('writes a file whose plan says only adoptions, and has no value', async () => {
    await byHand();
    const { exitCode, err } = await run(['export', '--to', folder]);
    expect([exitCode, err]).toEqual([0, '']);
    const text = readFileSync(file(), 'utf8');
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('other/web');
    expect(text).toMatch(/from: env:PROXY_PSP_SECRET/);
    expect(text).toMatch(/proxies:\n +- psp/);
    expect(readFileSync(join(folder, 'reactors/settle-dia.js'), 'utf8')).toBe(CODE);
    const { out } = await run(['plan', '--json', '--file', file()]);
    const { resources, tenant, problems } = JSON.parse(out);
    expect([problems, tenant.action]).toEqual([[], 'none']);
    for (const { address, action, differences, keys } of resources) {
      expect([address, action]).toEqual([address, 'adopt']);
      expect(differences.map(({ path }: { path: string }) => path)).toEqual(['external_id']);
      expect(
        keys.map(({ step }: { step: string }) => step).filter((step: string) => step !== 'none'),
      ).toEqual([]);
    }
    expect(resources.length).toBeGreaterThan(4);
    const values = { PROXY_PSP_SECRET: SECRET, REACTOR_SETTLE_DIA_REGION: SECRET };
    expect(await run(['apply', '--yes', '--file', file()], values)).toMatchObject({ exitCode: 0, err: '' });
    expect((await run(['plan', '--exit-code', '--file', file()])).exitCode).toBe(0);
    expect(printed).not.toContain(SECRET);
  });

  it('leaves out code that the key may not read, which the plan misses', async () => {
    await byHand();
    const { key } = await vault.applications.create({
      name: 'Reviewer',
      type: 'management',
      permissions: ['application:read', 'reactor:review', 'proxy:review', 'tenant:read'],
    });
    const reviewing = { CLOAKROOM_API_KEY: key };
    expect(await run(['export', '--to', folder], reviewing)).toMatchObject({ exitCode: 0, err: '' });
    expect(existsSync(join(folder, 'reactors'))).toBe(false);
    expect(readFileSync(file(), 'utf8')).toContain('# The key may not read code');
    expect(await run(['plan', '--file', file()], reviewing)).toMatchObject({
      exitCode: 2,
      err: expect.stringMatching(/reactors.settle-dia.code does not exist/),
    });
  });

  it('replaces no file', async () => {
    await run(['export', '--to', folder]);
    expect(await run(['export', '--to', folder])).toMatchObject({
      exitCode: 2,
      err: 'cloakroom: cloakroom.yaml exists\n',
    });
  });
});

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    'no',
    '1.20',
    '0o17',
    '12:30',
    '~',
    '<<',
    '- x',
    'a: b',
    '# x',
    ' x ',
    'x\n',
    '\u2028',
    '%',
    '&a',
    '*a',
    '!x',
    '',
    '\t',
    'true',
    '"',
    "'",
    '{{ x }}',
  ),
);

it('a text of YAML is read back as the same value', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        hostile,
        fc.oneof(hostile, fc.array(hostile), fc.boolean(), fc.integer(), fc.dictionary(hostile, hostile)),
      ),
      (content) => {
        const problems = new Problems('file');
        const text = yamlText(content, new Map());
        const tree = yamlTree(Buffer.from(text, 'utf8'), problems);
        problems.throwIfAny();
        expect(tree && valueOf(tree)).toEqual(content);
      },
    ),
    { numRuns: cases(200) },
  );
});

it('names are unique and of the form of an address, whatever the resources are called', () => {
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 8 }), (names) => {
      const applications = names.map((name, at) => ({
        body: {
          id: `019ab4c2-0000-7000-8000-00000000000${String(at)}`,
          name,
          type: 'private',
          permissions: [],
        },
        keys: [],
      }));
      const tenant = { name: 'Shop', settings: {} };
      const { content } = exportTenant({ tenant, now: 0, applications, proxies: [], reactors: [] });
      const made = Object.keys((content['applications'] ?? {}) as JsonObject);
      expect(made).toHaveLength(names.length);
      for (const name of made) expect(name).toMatch(/^[a-z0-9][a-z0-9-]{0,62}$/);
    }),
    { numRuns: cases(100) },
  );
});
