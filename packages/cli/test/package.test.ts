// The packed command line in an empty folder: it starts a service without a synthesis.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { IMAGES } from '../../../src/core/reactors/layer.ts';
import { FIELD_SDK } from '../../../src/core/reactors/author-packages.ts';
import { packedPackage } from '../../../test/support/packed-packages.ts';
import { temporaryFolder } from '../../../test/support/run-service.ts';

let tarball: string;
let folder: string;
let started: ChildProcess;
let output = '';
let credentials: Readonly<Record<string, string>>;

const PROGRAM = 'node_modules/@cloakroom/cli/bin/cloakroom.cjs';
const NODES = IMAGES.map((image) => `@cloakroom/${image}-${process.platform}-${process.arch}`);
/** Header prefixes and compatibility are laid over the built app. */
const SETTINGS = ['--set', 'headerPrefixes=ACME,SVC', '--set', 'clientCompatibility=lenient'];

/** Installs without a registry, which the dependencies would need. */
function install(): void {
  const installed = join(folder, 'node_modules/@cloakroom/cli');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['xzf', tarball, '--strip-components=1', '-C', installed]);
  const link = (name: string) => {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name));
  };
  ['classic-level', ...NODES].forEach(link);
}

/** The app of a start is in a folder of the person. */
const cache = () => join(folder, 'cache/cloakroom');
const environment = () => ({ ...process.env, XDG_CACHE_HOME: join(folder, 'cache') });

function cloakroom(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: environment(),
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

beforeAll(async () => {
  tarball = await packedPackage('cli');
  folder = temporaryFolder();
  install();
  started = spawn(process.execPath, [PROGRAM, 'start', '--port', '0', '--data', 'data', ...SETTINGS], {
    cwd: folder,
    env: environment(),
  });
  await new Promise<void>((isReady, fail) => {
    for (const stream of [started.stdout, started.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes('Ready.')) isReady();
      });
    started.on('exit', () => {
      fail(new Error(output));
    });
  });
  credentials = JSON.parse(readFileSync(join(folder, '.local/credentials.json'), 'utf8'));
});

afterAll(() => started.kill('SIGKILL'));

async function call(method: string, path: string, body: unknown, key = credentials['management_key'] ?? '') {
  const headers = { 'ACME-API-KEY': key, 'Content-Type': 'application/json' };
  const response = await fetch(`${credentials['base_url'] ?? ''}${path}`, {
    method,
    headers,
    body: JSON.stringify(body),
  });
  return (await response.json()) as any;
}

it('takes 6.2 MB, and its only dependency is native', () => {
  const { dependencies } = JSON.parse(
    readFileSync(join(folder, 'node_modules/@cloakroom/cli/package.json'), 'utf8'),
  );
  expect(statSync(tarball).size).toBeLessThan(6.2e6);
  expect(Object.keys(dependencies)).toEqual(['classic-level']);
});

it('runs a reactor on Node 16 under the header that was set, with the packages of the lenient layer', async () => {
  const code = `module.exports = async () => ({ raw: { version: process.version, sdk: typeof require('${FIELD_SDK}') } })`;
  const { id } = await call('POST', '/reactors', { name: 'version', code });
  const { key } = await call('POST', '/applications', {
    name: 'x',
    type: 'private',
    permissions: ['token:use'],
  });
  expect(await call('POST', `/reactors/${id}/react`, { args: {} }, key)).toEqual({
    raw: { version: 'v16.20.2', sdk: 'object' },
  });
});

it('serves the pages, and the documentation by its address', async () => {
  const { console_url: consoleUrl = '', fields_url: fieldsUrl = '', docs_url: docsUrl = '' } = credentials;
  for (const url of [
    consoleUrl,
    `${fieldsUrl}/fields.js`,
    `${fieldsUrl}/v1/frame.html`,
    `${docsUrl}/openapi.json`,
  ])
    expect([url, (await fetch(url)).status]).toEqual([url, 200]);
  const page = await fetch(`${docsUrl}/guides/collect-a-card/`, { redirect: 'manual' });
  expect(page.headers.get('location')).toMatch(/\/blob\/v[\d.]+\/docs\/guides\/collect-a-card\.md$/);
});

it('reaches the service by its credentials file, and verifies as an operator', () => {
  expect(cloakroom('operator', 'health', '--local').stdout).toContain('healthy            true');
});

it('applies a configuration to the service, and has its schema', () => {
  const schema = readFileSync('packages/cli/schema.json', 'utf8');
  expect(cloakroom('config', 'schema').stdout).toBe(schema);
  expect(readFileSync(join(folder, 'node_modules/@cloakroom/cli/schema.json'), 'utf8')).toBe(schema);
  const text = `namespace: shop
applications:
  web: { name: Web, type: private, permissions: ["token:read"], keys: [{ name: a, to: "file:key.json" }] }
`;
  writeFileSync(join(folder, 'cloakroom.yaml'), text);
  const apply = ['config', 'apply', '--yes', '--local', '--header-prefix', 'ACME'];
  const applied = cloakroom(...apply);
  expect([applied.status, applied.stderr]).toEqual([0, '']);
  expect(applied.stdout).toMatch(/1 created, 0 changed, 0 deleted, 1 key stored\n$/);
  expect(JSON.parse(readFileSync(join(folder, 'key.json'), 'utf8'))).toEqual({
    key: expect.any(String),
    key_id: expect.any(String),
  });
  expect(cloakroom(...apply).stdout).toContain('0 created');
});

it('knows which changes CloudFormation makes by another resource', () => {
  const appWith = (name: string, key: string) => {
    mkdirSync(join(folder, name));
    const KeySchema = [{ AttributeName: key, KeyType: 'HASH' }];
    const Tokens = { Type: 'AWS::DynamoDB::Table', Properties: { KeySchema } };
    const stack = { type: 'aws:cloudformation:stack', properties: { templateFile: 'Data.json' } };
    writeFileSync(join(folder, name, 'manifest.json'), JSON.stringify({ artifacts: { Data: stack } }));
    writeFileSync(join(folder, name, 'Data.json'), JSON.stringify({ Resources: { Tokens } }));
    return name;
  };
  const { status, stdout, stderr } = cloakroom('check-upgrade', appWith('next', 'a'), appWith('now', 'b'));
  expect([status, stderr]).toEqual([1, '']);
  expect(stdout).toMatch(/^data lost: Data, Tokens: /);
});

it('runs code of a file', () => {
  writeFileSync(join(folder, 'code.js'), 'module.exports = async () => ({ raw: process.version });');
  expect(JSON.parse(cloakroom('reactor', 'run', 'code.js').stdout)).toEqual({ raw: 'v16.20.2' });
});

it('refuses a setting that only AWS has, and names the nearest of a misspelt one', () => {
  const refused = cloakroom('start', '--set', 'alarmEmail=ops@example.com');
  expect([refused.status, refused.stderr]).toEqual([
    2,
    'cloakroom: --set alarmEmail has no effect here: it changes what only AWS has\n',
  ]);
  expect(cloakroom('start', '--set', 'hotConcurency=1').stderr).toContain('did you mean hotConcurrency?');
});

it('what it runs is in a folder of the person, and gone after its end', async () => {
  const local = readdirSync(join(folder, '.local'));
  expect(local.filter((name) => ['apps', 'compile-cache'].includes(name))).toEqual([]);
  expect(readdirSync(join(cache(), 'apps'))).toHaveLength(1);
  expect(statSync(cache()).mode & 0o777).toBe(0o700);
  const ended = new Promise((resolve) => started.on('exit', resolve));
  started.kill('SIGINT');
  await ended;
  expect(readdirSync(join(cache(), 'apps'))).toEqual([]);
});

it('runs nothing from a folder that others may write to', () => {
  chmodSync(cache(), 0o777);
  const { status, stderr } = cloakroom('start', '--port', '0');
  expect([status, stderr]).toEqual([1, expect.stringContaining('must be a folder of yours')]);
});
