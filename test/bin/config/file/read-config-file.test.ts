import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileProblemsError } from '../../../../bin/config/file/problems.ts';
import { APPLICATION_MEMBERS } from '../../../../bin/config/file/applications.ts';
import { KEY_MEMBERS } from '../../../../bin/config/file/keys.ts';
import { PROXY_MEMBERS } from '../../../../bin/config/file/proxies.ts';
import { REACTOR_MEMBERS } from '../../../../bin/config/file/reactors.ts';
import { readConfigFile } from '../../../../bin/config/file/read-config-file.ts';
import openapi from '../../../../docs/openapi.json' with { type: 'json' };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloakroom-config-file-'));
  writeFileSync(join(folder, 'settle.js'), 'module.exports = async () => ({});\n');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function read(text: string | Uint8Array) {
  const file = join(folder, 'cloakroom.yaml');
  writeFileSync(file, text);
  return readConfigFile(file);
}

/** Lists the problems of a text as `line:column message`. */
async function problemsOf(text: string | Uint8Array): Promise<readonly string[]> {
  try {
    await read(text);
    return [];
  } catch (error) {
    if (!(error instanceof FileProblemsError)) throw error;
    return error.lines.map((line) =>
      line.slice(folder.length + '/cloakroom.yaml:'.length).replace(': ', ' '),
    );
  }
}

const WHOLE = `
namespace: shop
tenant: { name: Shop, settings: { ephemeral_proxy: false } }
applications:
  checkout:
    name: Checkout
    type: private
    rules:
      - { priority: 1, container: /pci/, transform: mask, permissions: ["token:use"],
          through: { proxies: [psp], reactors: [settle, other/refund] } }
    keys: [{ name: 2026-12, source_addresses: [203.0.113.0/24], to: "aws-secret:prod/checkout" }]
proxies:
  psp:
    name: PSP
    destination_url: https://api.psp.example.com
    configuration:
      secret: { from: "env:PSP_SECRET" }
      other: { from: "aws-secret:prod/psp" }
      region: { value: eu, public: true }
    application: checkout
    response_transforms: [{ type: reactor, reactor: settle }]
reactors:
  settle: { name: Settle, code: ./settle.js, configuration: { region: eu } }
moved: { applications/shop: applications/checkout }
removed: [reactors/old, keys/applications/checkout/2026-11]
`;

const application = (members: string) =>
  `namespace: shop\napplications:\n  checkout:\n    name: Checkout\n    type: private\n    permissions: ["token:create"]\n    ${members}\n`;

describe('a configuration file', () => {
  it('is read with its references, sources and targets', async () => {
    const { desired } = await read(WHOLE);
    expect(desired.applications.get('checkout')).toMatchObject({
      name: 'Checkout',
      rules: [{ through: { proxies: ['psp'], reactors: ['settle', 'other/refund'] } }],
      keys: [{ name: '2026-12', to: { kind: 'aws-secret', name: 'prod/checkout' } }],
    });
    const { configuration, ...proxy } = desired.proxies.get('psp') ?? { configuration: new Map() };
    expect(proxy).toMatchObject({
      application: 'checkout',
      response_transforms: [{ type: 'reactor', reactor: 'settle' }],
    });
    expect([...configuration.values()]).toEqual([
      {
        source: { kind: 'env', name: 'PSP_SECRET' },
        public: false,
        label: 'env:PSP_SECRET',
        labelUnknown: false,
      },
      { source: { kind: 'aws-secret', name: 'prod/psp' }, public: false, labelUnknown: true },
      expect.objectContaining({ public: true, label: expect.stringMatching(/^sha256:[\da-f]{64}$/) }),
    ]);
    expect(desired.reactors.get('settle')?.code).toBe('module.exports = async () => ({});\n');
    expect([...desired.moved]).toEqual([['applications/shop', 'applications/checkout']]);
    expect(desired.removed).toEqual(['reactors/old', 'keys/applications/checkout/2026-11']);
  });

  it('has a digest of itself and of the files that it names', async () => {
    const { digest } = (await read(WHOLE)).desired;
    expect((await read(WHOLE)).desired.digest).toBe(digest);
    writeFileSync(join(folder, 'settle.js'), 'module.exports = async () => ({ raw: 1 });\n');
    const { digest: ofOtherCode } = (await read(WHOLE)).desired;
    expect(ofOtherCode).not.toBe(digest);
    expect((await read(`${WHOLE}# said again\n`)).desired.digest).not.toBe(ofOtherCode);
  });

  it.each([
    ['an anchor', 'description: &a x', /^7:\d+ anchors are not allowed/],
    ['an alias', 'description: *a', /^7:18 aliases are not allowed/],
    ['a character that turns its line', 'description: "a\u202Eb"', /^7:\d+ has an invisible character/],
    ['a tag', 'name: !!str x', /^7:17 tags are not allowed/],
    ['a name twice', 'name: Again', /^7:5 appears twice, first in line 4$/],
    ['a word that is a switch elsewhere', 'description: no', /^7:18 is no text for every reader of YAML/],
    ['a number of base 60', 'description: 12:30', /^7:18 is no text for every reader of YAML/],
    ['a number that JSON does not have', 'description: 0o17', /^7:18 is a number that JSON cannot have/],
    ['a number of too many digits', 'x: 12345678901234567890', /^7:8 is a number that JSON cannot have/],
    ['a name that is a number', '1: x', /^7:5 must be a name/],
    ['a tab', '\tx: 1', /^7:\d+ is /],
    ['a number in place of a string', 'expires_at: 1.20', /^7:17 .*expires_at must be a string: write it/],
    ['an unknown member', 'kyes: []', /^7:5 applications.checkout.kyes is not known; did you mean `keys`\?$/],
    ['a member of the API alone', 'external_id: x', /external_id is not known/],
    [
      'a permission of another type',
      'rules: [{ priority: 1, container: /, transform: mask, permissions: ["application:read"] }]',
      /^7:\d+ .*rules\[0\].permissions\[0\] is not allowed for private applications/,
    ],
    [
      'a reference to nothing',
      'rules: [{ priority: 1, container: /, transform: mask, permissions: ["token:use"], through: { proxies: [psp] } }]',
      /^7:\d+ .*through.proxies\[0\] names no entry of proxies$/,
    ],
    ['a key without a place', 'keys: [{ name: a }]', /^7:12 .*keys\[0\] must have either to/],
    ['a key on standard output', 'keys: [{ name: a, to: stdout }]', /must be aws-secret:NAME or file:PATH/],
    [
      'two keys in one place',
      'keys: [{ name: a, to: "file:a" }, { name: b, to: "file:./a" }]',
      /^7:39 .*to is where another key goes$/,
    ],
    [
      'a key in place of the file',
      'keys: [{ name: a, to: "file:CLOAKROOM.yaml" }]',
      /to is a file that is read$/,
    ],
    ['an id that is none', 'adopt: 7', /adopt must be an id/],
  ])('is refused for %s, by line and column', async (_what, members, problem) => {
    const [first] = await problemsOf(application(members));
    expect(first).toMatch(problem);
  });

  it.each([
    ['', /^1:1 /],
    ['- x', /^1:1 the file must have members/],
    ['%YAML 1.1\n---\nnamespace: shop', /^1:1 directives are not allowed/],
    ['namespace: shop\n---\nnamespace: shop', /begins a second document/],
    ['namespace: Shop', /^1:12 namespace must be 1 to 63 lower-case letters/],
    ['applications: {}', /^1:1 namespace must be/],
    ['namespace: 019ab4c2-8f7a-7d10-9c55-2b1f0e7a6d42', /^1:12 namespace must be .* no UUID/],
    ['namespace: shop\napplications: { a_b: { name: x } }', /^2:17 applications.a_b must be 1 to 63/],
    ['namespace: shop\nremoved: [tenant]', /^2:11 removed\[0\] must have the form/],
    ['namespace: shop\nmoved: { applications/a: applications/b }', /names no entry of the file/],
    ['namespace: shop\ntenant: { settings: { ephemeral_proxy: "true" } }', /must be true or false/],
    [`x: ${'['.repeat(10_000)}`, /^1:\d+ /],
    [Uint8Array.of(0x61, 0xff), /^1:1 is not UTF-8/],
  ])('is refused with its place: %j', async (text, problem) => {
    const [first] = await problemsOf(text);
    expect(first).toMatch(problem);
  });

  it.each([
    '../settle.js',
    '/etc/passwd',
    'a/../settle.js',
    'settle.js/x',
    'linked.js',
    'linked/settle.js',
    'folder',
    'pipe',
    String.raw`a\settle.js`,
    'C:settle.js',
    'absent.js',
    'large.js',
  ])('reads no code from %s', async (code) => {
    symlinkSync(join(folder, 'settle.js'), join(folder, 'linked.js'));
    symlinkSync(folder, join(folder, 'linked'));
    mkdirSync(join(folder, 'folder'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    writeFileSync(join(folder, 'large.js'), Buffer.alloc(1_000_000));
    const [first, ...more] = await problemsOf(
      `namespace: shop\nreactors: { settle: { name: Settle, code: '${code}' } }`,
    );
    expect(first).toMatch(/^2:\d+ reactors.settle.code /);
    expect(more).toEqual([]);
  });

  it('reads no file that is large, a link or absent', async () => {
    await expect(read(new Uint8Array(1_000_001))).rejects.toThrow('is larger than 1000000 bytes');
    symlinkSync(join(folder, 'cloakroom.yaml'), join(folder, 'linked.yaml'));
    await expect(readConfigFile(join(folder, 'linked.yaml'))).rejects.toThrow(
      'must be a file that is no link',
    );
    await expect(readConfigFile(join(folder, 'absent.yaml'))).rejects.toThrow('absent.yaml does not exist');
  });

  it('says nothing of a value that is no source', async () => {
    const secret = 'sk_live_0123456789abcdef';
    for (const value of [
      secret,
      `{ from: ${secret} }`,
      `{ value: ${secret} }`,
      `{ from: "env:${secret}-" }`,
    ]) {
      const problems = await problemsOf(
        `namespace: shop\nproxies: { psp: { name: PSP, destination_url: "https://api.psp.example.com", configuration: { secret: ${value} } } }`,
      );
      expect(problems).toHaveLength(1);
      expect(problems.join()).not.toContain(secret);
    }
  });

  it('knows every member that the API takes', () => {
    const { schemas } = openapi.components;
    const membersOf = ({ properties }: { readonly properties: object }) =>
      // The namespace, the name and the sources decide what these are.
      Object.keys(properties).filter((name) => !['external_id', 'configuration_labels'].includes(name));
    for (const [known, schema] of [
      [APPLICATION_MEMBERS, schemas.CreateApplicationRequest],
      [KEY_MEMBERS, schemas.CreateApplicationKeyRequest],
      [PROXY_MEMBERS, schemas.CreateProxyRequest],
      [REACTOR_MEMBERS, schemas.CreateReactorRequest],
    ] as const)
      expect(known).toEqual(expect.arrayContaining(membersOf(schema)));
  });
});
