import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackages } from '../../../../bin/reactor/packages/install-packages.ts';
import { readBundle, writeBundle } from '../../../../src/core/reactors/package-bundle.ts';
import { commandLine } from '../../../support/command-line.ts';
import { integrityOf, packageArchive, type ArchivedFiles } from '../../../support/package-archive.ts';

const folder = mkdtempSync(join(tmpdir(), 'cloakroom-bundle-test-'));
const SECRET = 'a-secret-of-the-machine';
const scriptRan = join(folder, 'script-ran');

const SCRIPTS = Object.fromEntries(
  ['preinstall', 'install', 'postinstall', 'prepare'].map((name) => [name, `touch ${scriptRan}`]),
);
const manifest = (name: string, more: object = {}) =>
  JSON.stringify({ name, version: '1.0.0', scripts: SCRIPTS, ...more });

/** The packages of the registry. Each has scripts, and one a link to a file of the machine. */
const PACKAGES: Readonly<Record<string, ArchivedFiles>> = {
  left: {
    'package.json': manifest('left', {
      dependencies: { shared: '1' },
      optionalDependencies: { extra: '1', fast: '1' },
    }),
    'index.js': `exports.shared = require('shared'); require('extra');
      try { require('fast'); } catch { exports.slow = true; }
      try { exports.linked = require('./link.json'); } catch {}`,
    'part.js': 'module.exports = 7;',
    'link.json': { link: join(folder, 'secret.json') },
  },
  '@scope/right': {
    'package.json': manifest('@scope/right', {
      type: 'module',
      main: 'index.js',
      dependencies: { shared: '1' },
    }),
    'index.js': `import shared from 'shared'; export { shared };`,
  },
  shared: { 'package.json': manifest('shared'), 'index.js': 'module.exports = {};' },
  extra: { 'package.json': manifest('extra'), 'index.js': '' },
  // npm installs it on this platform alone: a bundle has it nowhere.
  fast: { 'package.json': manifest('fast', { os: [process.platform] }), 'index.js': 'module.exports = 1;' },
};
const archives = new Map(Object.entries(PACKAGES).map(([name, files]) => [name, packageArchive(files)]));

const CODE = `import left from 'left';
import part from 'left/part.js';
import { readFile } from 'node:fs/promises';
import { helper } from './helper.ts';
import stripe from 'stripe';
export default () => ({ raw: [left, part, readFile, helper, stripe] });`;
const HELPER = `import { shared } from '@scope/right'; import '@cloakroom/sdk'; export const helper: unknown = shared;`;

const server = createServer(({ url = '' }, response) => {
  const archive = archives.get(decodeURIComponent(url.slice(1)));
  response.writeHead(archive === undefined ? 404 : 200).end(archive);
});

const file = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  return path;
};

/** A project can have options that would run scripts, or install elsewhere or nothing. */
const NPMRC = [
  ...['ignore-scripts=false', 'dangerously-allow-all-scripts=true', 'bin-links=true'],
  ...['dry-run=true', 'global=true', 'package-lock=false', 'omit[]=optional', 'install-strategy=linked'],
];

/** npm finds nothing of the machine that runs the tests, and no registry. */
const environment = (more: Readonly<Record<string, string>> = {}) => ({
  PATH: process.env['PATH'],
  HOME: folder,
  npm_config_cache: join(folder, 'cache'),
  npm_config_registry: 'http://127.0.0.1:9/',
  npm_config_fetch_retries: '0',
  npm_config_workspace: 'none',
  ...more,
});
const OFFLINE = environment({ npm_config_offline: 'true' });

const bundled = (args: readonly string[], using = OFFLINE) =>
  commandLine(['reactor', 'bundle', ...args], { environment: using });

const DEPENDENCIES = { left: '^1.0.0', '@scope/right': '1.0.0' };
const left = (out: string) => (JSON.parse(out) as { bundle: string }).bundle;

/** The packages are installed here. */
const temporary = join(folder, 'temporary');
const { TMPDIR } = process.env;

beforeAll(async () => {
  mkdirSync(temporary);
  process.env['TMPDIR'] = temporary;
  // Others write there too: npm must not take it for the root of a workspace.
  file('temporary/package.json', { workspaces: ['*'], scripts: SCRIPTS });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const entry = (name: string, more: object = {}) => ({
    version: '1.0.0',
    resolved: `http://user:password@127.0.0.1:${String(port)}/${encodeURIComponent(name)}`,
    integrity: integrityOf(archives.get(name) ?? ''),
    hasInstallScript: true,
    license: 'MIT',
    ...more,
  });
  mkdirSync(join(folder, 'code'));
  file('.npmrc', NPMRC.join('\n'));
  file('secret.json', { SECRET });
  file('package.json', { dependencies: { ...DEPENDENCIES, unused: 'file:../unused' }, scripts: SCRIPTS });
  file('package-lock.json', {
    lockfileVersion: 3,
    packages: {
      '': { dependencies: { ...DEPENDENCIES, unused: 'file:../unused' } },
      '../unused': { version: '1.0.0' },
      'node_modules/unused': { resolved: '../unused', link: true },
      'node_modules/left': entry('left', {
        dependencies: { shared: '1' },
        optionalDependencies: { extra: '1', fast: '1' },
        engines: { node: '>=18' },
      }),
      'node_modules/@scope/right': entry('@scope/right', { dependencies: { shared: '1' } }),
      'node_modules/shared': entry('shared'),
      'node_modules/extra': entry('extra', { optional: true }),
      'node_modules/fast': entry('fast', { os: [process.platform], optional: true }),
    },
  });
  file('code/charge.ts', CODE);
  file('code/helper.ts', HELPER);
});

afterAll(() => {
  if (TMPDIR === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = TMPDIR;
  server.close();
  rmSync(folder, { recursive: true });
});

describe('cloakroom reactor bundle', () => {
  let out: string;

  afterEach(() => {
    expect(readdirSync(temporary)).toEqual(['package.json']);
  });

  it('installs the packages of the code without their scripts, and prints them in one text', async () => {
    const code = join(folder, 'code/charge.ts');
    const sbom = join(folder, 'sbom.json');
    const { exitCode, err, out: printed } = await bundled([code, '--sbom', sbom], environment());
    expect([exitCode, err]).toEqual([
      0,
      expect.stringMatching(
        /^(?: +[\d,]+ {2}.*\n)+@scope\/right has an install script, which did not run\.\n/,
      ),
    ]);
    expect(existsSync(scriptRan)).toBe(false);
    out = printed;
    const { dependencies, bundle: base64 } = JSON.parse(printed) as {
      dependencies: unknown;
      bundle: string;
    };
    expect(dependencies).toEqual({ '@scope/right': '1.0.0', left: '1.0.0' });
    const bundle = await readBundle(base64);
    expect(bundle).toMatchObject({ image: 'node16', specifiers: ['@scope/right', 'left', 'left/part.js'] });
    const text = JSON.stringify(bundle);
    for (const each of [SECRET, folder, 'password', 'unused']) expect(text).not.toContain(each);
    expect(readFileSync(sbom, 'utf8')).toContain('"purl": "pkg:npm/%40scope/right@1.0.0"');
    expect(err).toMatch(/\d {2}left\n/);
    expect(err).toContain('left says that it needs Node.js 18.\n');
    expect(err).toMatch(/ 5 {2}packages in all, of 500 that a bundle may have\n/);
  });

  it('proves a bundle offline, in another folder, and prints its digest', async () => {
    const { exitCode, out: digest, err } = await bundled(['--verify', file('bundle.json', out)]);
    expect([exitCode, err]).toEqual([0, '']);
    expect(digest).toBe(`${(await readBundle(left(out))).digest}\n`);
  });

  it('runs no script, whatever a lock says', async () => {
    const { manifest, lock } = await readBundle(left(out));
    const packages = Object.entries(lock.packages).map(([place, locked]) => [
      place,
      { ...(locked as object), ...(place !== '' && { hasInstallScript: true }) },
    ]);
    const to = join(folder, 'installed');
    mkdirSync(to);
    await installPackages(
      to,
      { manifest, lock: { ...lock, packages: Object.fromEntries(packages) } },
      { project: folder, environment: OFFLINE },
    );
    expect(existsSync(join(to, 'node_modules/left/package.json'))).toBe(true);
    expect(existsSync(join(to, 'node_modules/left/link.json'))).toBe(false);
    expect(existsSync(scriptRan)).toBe(false);
  });

  it('says what differs in a bundle that is not of its packages', async () => {
    const { dependencies, ...bundle } = await readBundle(left(out));
    const { base64 } = await writeBundle({ ...bundle, code: `${bundle.code}steal()` });
    const { exitCode, err } = await bundled([
      '--verify',
      file('other.json', { dependencies, bundle: base64 }),
    ]);
    expect([exitCode, err]).toEqual([
      1,
      expect.stringMatching(/other\.json is not proven: its packages make another .* \(another code\)\n$/),
    ]);
  });

  it('names the version of esbuild that a bundle needs', async () => {
    const { dependencies, ...bundle } = await readBundle(left(out));
    const { base64 } = await writeBundle({ ...bundle, esbuild: '0.20.0' });
    const { exitCode, err } = await bundled(['--verify', file('old.json', { dependencies, bundle: base64 })]);
    expect([exitCode, err]).toEqual([1, expect.stringContaining('Run: npm install esbuild@0.20.0')]);
  });

  it('says in a line which hash differs, without the password of the registry', async () => {
    const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
    const { integrity } = (JSON.parse(lock) as { packages: Record<string, { integrity: string }> }).packages[
      'node_modules/shared'
    ] ?? { integrity: '' };
    file('package-lock.json', lock.replaceAll(integrity, integrityOf('another')));
    const { exitCode, out: none, err } = await bundled([join(folder, 'code/charge.ts')], environment());
    file('package-lock.json', lock);
    expect([exitCode, none, err.split('\n').length]).toEqual([1, '', 2]);
    expect(err).toMatch(/^npm ci failed with EINTEGRITY: A package is not the one of package-lock\.json/);
    expect(err).not.toMatch(/password|user:/);
  });

  it('says that npm is missing', async () => {
    const { err } = await bundled([join(folder, 'code/charge.ts')], { ...environment(), PATH: folder });
    expect(err).toBe('a bundle needs npm, which is not installed\n');
  });

  it.each([
    ['code without packages', `require('fs'); require('ajv');`, 'requires no package that a reactor'],
    ['a missing file', `require('./absent')`, 'Could not resolve "./absent"'],
    ['a package of the runtime, by a name that it lacks', `require('ajv/lib')`, 'Run: npm install ajv'],
    ['a file of the SDK', `require('@cloakroom/sdk/file')`, 'belongs to the runtime'],
    [
      'a built-in that is written as a package',
      `require('punycode/')`,
      '"punycode/" is no name of a package',
    ],
    ['an address', `require('https://a.example/a.js')`, 'is no name of a package'],
    ['a package that is missing', `require('absent')`, 'absent is not in dependencies of package.json'],
    [
      'the error classes of the field',
      `require('@basis-theory/basis-theory-reactor-formulas-sdk-js')`,
      'sdk-js is not in',
    ],
  ])('exits with 1 for %s', async (_what, code, reason) => {
    const { exitCode, out: none, err } = await bundled([file('other.js', code)]);
    expect([exitCode, none]).toEqual([1, '']);
    expect(err).toContain(reason);
  });

  it('leaves to a lenient runtime what it has', async () => {
    const code = file('lenient.js', `require('@basis-theory/basis-theory-reactor-formulas-sdk-js');`);
    expect((await bundled([code, '--lenient'])).err).toContain('requires no package');
  });

  it.each([
    [['--verify', 'a.json', '--inline'], '--verify takes neither'],
    [['a.js', '--verify', 'a.json'], '--verify takes neither'],
    [[], "missing required argument 'FILE'"],
    [['absent.js'], 'absent.js cannot be read: ENOENT'],
    [[file('same.js', ''), '--out', join(folder, 'same.js')], '--out must name another file'],
    [[join(folder, 'same.js'), '--out', 'a', '--sbom', 'a'], '--sbom must name another file'],
    [[join(folder, 'same.js'), '--inline', '--sbom', 'a'], '--inline and --sbom exclude'],
    [['--verify', file('none.json', {})], 'it has no bundle'],
    [['--verify', file('bad.json', { bundle: 'AAAA' })], 'its bundle must be base64 of gzip'],
  ])('exits with 2 for %j', async (args, reason) => {
    const { exitCode, err } = await bundled(args);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(reason)]);
  });
});
