import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { BundleError } from '../../../../bin/reactor/bundle-error.ts';
import { findEsbuild } from '../../../../bin/reactor/find-esbuild.ts';
import { buildPackages } from '../../../../bin/reactor/packages/build-packages.ts';
import { STUBS } from '../../../../bin/reactor/packages/stubs.ts';
import { exec } from '../../../../reactor-runtime/packages/no-processes.ts';
import { packageAt } from '../../../../src/core/reactors/package-files.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

type Files = Readonly<Record<string, string>>;

/** Installs packages by their files. */
function installed(files: Files): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'cloakroom-build-test-'));
  folders.push(folder);
  for (const [file, text] of Object.entries(files)) {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return folder;
}

const placesIn = (files: Files): ReadonlySet<string> =>
  new Set(Object.keys(files).flatMap((file) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []));

interface Options {
  readonly specifiers?: readonly string[];
  readonly absent?: readonly string[];
  readonly prepare?: (folder: string) => void;
}

const built = (files: Files, { specifiers = ['a'], absent = [], prepare }: Options = {}) => {
  const folder = installed(files);
  prepare?.(folder);
  const places = placesIn(files);
  return buildPackages(findEsbuild(import.meta.filename), {
    folder,
    image: 'node16',
    specifiers,
    places,
    absent,
  });
};

type Loaders = Readonly<Record<string, () => unknown>>;
type Required = (name: string) => unknown;

/** Runs a bundle, and returns what requires one of its packages. */
function run(code: string, require: Required = createRequire(import.meta.url)): Required {
  const module = { exports: {} as Loaders };
  const compiled = runInThisContext(`(function (module, exports, require) {${code}\n})`) as (
    ...args: readonly unknown[]
  ) => void;
  compiled(module, module.exports, require);
  return (name) => module.exports[name]?.();
}

const A = 'node_modules/a/index.js';

describe('buildPackages', () => {
  it('loads a package when code asks for it, once for all that share it', async () => {
    const { code } = await built(
      {
        [A]: `loaded.push('a'); exports.shared = require('shared');`,
        'node_modules/b/package.json': '{ "type": "module", "exports": { ".": "./b.js", "./c": "./c.js" } }',
        'node_modules/b/b.js': `import shared from 'shared'; loaded.push('b'); export { shared };`,
        'node_modules/b/c.js': `loaded.push('c'); export default 1;`,
        'node_modules/shared/index.js': `loaded.push('shared'); module.exports = {};`,
      },
      { specifiers: ['a', 'b', 'b/c'] },
    );
    const loaded: string[] = [];
    Object.assign(globalThis, { loaded });
    try {
      const required = run(code);
      expect(loaded).toEqual([]);
      const a = required('a') as { shared: unknown };
      expect(loaded).toEqual(['a', 'shared']);
      expect(required('b')).toMatchObject({ shared: expect.any(Object) });
      expect((required('b') as { shared: unknown }).shared).toBe(a.shared);
      expect(loaded).toEqual(['a', 'shared', 'b']);
    } finally {
      Reflect.deleteProperty(globalThis, 'loaded');
    }
  });

  it('makes equal bytes in every folder', async () => {
    const files = {
      [A]: `exports.at = __filename; exports.b = require('./b.json');`,
      'node_modules/a/b.json': '1',
    };
    const one = await built(files);
    // A folder above the temporary one can have this file.
    const options = JSON.stringify({ compilerOptions: { paths: { a: ['./other.js'] } } });
    expect(await built({ ...files, 'tsconfig.json': options, 'other.js': '' })).toEqual(one);
    expect(one.code).not.toContain(tmpdir());
  });

  it('finds the package of each place, whatever files its own source map names', async () => {
    const map = Buffer.from(
      JSON.stringify({ version: 3, sources: ['../b/index.js'], names: [], mappings: 'AAAA' }),
    ).toString('base64');
    const { code, places } = await built(
      {
        [A]: `exports.inA = 1; require('b');\n//# sourceMappingURL=data:application/json;base64,${map}`,
        'node_modules/b/index.js': `exports.text = \`two\nlines\`; exports.inB = 2;`,
      },
      { specifiers: ['a'] },
    );
    const packageOf = (text: string) => {
      const before = code.slice(0, code.indexOf(text)).split('\n');
      return packageAt(places, before.length, (before.at(-1)?.length ?? 0) + 1);
    };
    expect(code).toContain('\n');
    expect([packageOf('exports.inA'), packageOf('inB=2')]).toEqual(['a', 'b']);
    expect(places.length).toBeLessThan(4);
  });

  it('gives packages no processes, and what reactor code requires in place of the loader', async () => {
    const { code, warnings } = await built({
      [A]: `import { createRequire } from 'node:module'; import cp from 'child_process';
        export const url = import.meta.url;
        export const found = createRequire('/')('crypto'); export { cp };`,
      'node_modules/a/package.json': '{ "type": "module", "main": "index.js" }',
    });
    const { found, cp } = run(code, (name) => `the ${name} of reactors`)('a') as {
      found: string;
      cp: { exec: typeof exec };
    };
    const messages: string[] = [];
    const collect = (error: Error) => messages.push(error.message);
    cp.exec('x', collect);
    exec('x', collect);
    expect(found).toBe('the crypto of reactors');
    expect(messages).toEqual(Array.from({ length: 2 }, () => 'a reactor has no other processes'));
    expect(Object.keys(STUBS)).toEqual(['child_process', 'module']);
    expect(warnings).toEqual(['a reads import.meta, which is empty in a bundle.']);
  });

  it('chooses the files of a package as Node.js does', async () => {
    const { code } = await built(
      {
        'node_modules/a/package.json': JSON.stringify({
          exports: { module: './module.js', require: './require.js', default: './default.js' },
        }),
        'node_modules/a/require.js': `module.exports = 'required';`,
        'node_modules/a/module.js': `export default 'for bundlers';`,
        'node_modules/a/default.js': '',
        'node_modules/b/package.json': JSON.stringify({ module: './module.js', browser: './module.js' }),
        'node_modules/b/module.js': `export default 'for bundlers';`,
        'node_modules/b/index.js': `module.exports = 'main';`,
        'node_modules/c/index.mjs': `import b from 'b'; export { b };`,
        'node_modules/c/package.json': JSON.stringify({ main: 'index.mjs' }),
      },
      { specifiers: ['a', 'c'] },
    );
    const required = run(code);
    expect([required('a'), required('c')]).toEqual(['required', { b: 'main' }]);
  });

  it('leaves out a native addon that a package works without', async () => {
    const { code } = await built(
      {
        [A]: `try { exports.fast = require('fast'); } catch { exports.fast = false; }`,
        'node_modules/fast/index.js': 'module.exports = true;',
      },
      { absent: ['fast'] },
    );
    const missing = () => {
      throw new Error('missing');
    };
    expect(run(code, missing)('a')).toEqual({ fast: false });
  });

  it('warns of parts of Node.js that reactors do not have, and of names that are computed', async () => {
    const { warnings } = await built({ [A]: `require('node:vm'); exports.load = (name) => require(name);` });
    expect(warnings).toEqual([
      'a requires vm: it loads compiled code unchecked, so it may not load in a reactor.',
      'a requires a name that it computes: a bundle lacks what only that names.',
    ]);
  });

  const SECRET = '{ "secret": 4242 }';
  const OUTSIDE = 'a package requires a file that is in no package of the lock';
  const manifest = (main: string) => JSON.stringify({ main });

  it.each<readonly [string, Files, string]>([
    ['a file beside the packages', { [A]: `require('../../secret.json')`, 'secret.json': SECRET }, OUTSIDE],
    [
      'a main file beside the packages',
      { 'node_modules/a/package.json': manifest('../../secret.json'), 'secret.json': SECRET },
      OUTSIDE,
    ],
    ['files by a pattern', { [A]: 'require(`../../${x}.json`)', 'secret.json': SECRET }, OUTSIDE],
    [
      'a package that the lock lacks',
      { [A]: `require('b')`, 'node_modules/a/node_modules/b/index.js': '1' },
      OUTSIDE,
    ],
    ['an addon', { [A]: `require('./a.node')`, 'node_modules/a/a.node': '' }, 'a is a native addon'],
    ['a file without code', { [A]: `require('./a.txt')`, 'node_modules/a/a.txt': '' }, 'file of type .txt'],
    ['a package that is missing', { [A]: `require('b')` }, 'a requires b, which is not among'],
    ['a name that its package lacks', { 'node_modules/a/package.json': '{"exports":{}}' }, 'there is no a'],
    ['a syntax error', { [A]: 'let = = 4242' }, 'a cannot be bundled: '],
    [
      'a top-level await',
      { [A]: `require('./b.mjs')`, 'node_modules/a/b.mjs': 'await 1; export {};' },
      'a has top-level await',
    ],
  ])('refuses %s, without a word of a file', async (_what, files, reason) => {
    const refusal = await built(files).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(BundleError);
    const { message } = refusal as BundleError;
    expect(message).toContain(reason);
    expect(message).not.toMatch(/4242|cloakroom-build-test/);
  });

  it('refuses a file of the machine by its path', async () => {
    const folder = installed({ 'secret.json': SECRET });
    await expect(built({ [A]: `require('${folder}/secret.json')` })).rejects.toThrow(OUTSIDE);
  });

  it.each([
    ['file', 'secret.json', './link'],
    ['folder', '', './link/secret.json'],
  ])('refuses a file of the machine by a link to a %s', async (_what, linked, required) => {
    const elsewhere = installed({ 'secret.json': SECRET });
    const prepare = (folder: string) => {
      symlinkSync(join(elsewhere, linked), join(folder, 'node_modules/a/link'));
    };
    await expect(built({ [A]: `require('${required}')` }, { prepare })).rejects.toThrow(OUTSIDE);
  });
});
