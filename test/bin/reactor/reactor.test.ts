import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { IS_THOROUGH } from '../../../packages/test-kit/src/thoroughness.ts';
import { writeBundle } from '../../../src/core/reactors/package-bundle.ts';
import type { Image } from '../../../src/core/reactors/layer.ts';
import { commandLine } from '../../support/command-line.ts';
import { integrityOf } from '../../support/package-archive.ts';

const CODE = `const { BadRequestError } = require('@cloakroom/sdk');
module.exports = async ({ args, configuration, bt }) => {
  console.log('called with', args);
  if (args.number) throw new TypeError('number ' + args.number);
  if (args.refused) throw new BadRequestError('no', { errors: { card: ['is required'] } });
  return { raw: { node: process.version, mode: configuration.MODE, bt }, tokenize: { note: 'text' } };
};
`;

describe('cloakroom reactor', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-try-test-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const file = (name: string, content: unknown): string => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const code = file('charge.js', CODE);
  const root = process.cwd();
  beforeAll(() => {
    process.chdir(folder);
  });
  afterAll(() => {
    process.chdir(root);
  });
  const called =
    (command: string) =>
    (...args: readonly string[]) =>
      commandLine(['reactor', command, ...args]);
  const tried = called('run');
  const bundled = (...args: readonly string[]) => called('bundle')('--inline', ...args);

  it('prints the result on standard output, the console on standard error, and exits with 0', async () => {
    const configuration = file('configuration.json', { MODE: 'test' });
    const {
      exitCode: status,
      out: stdout,
      err: stderr,
    } = await tried('charge.js', '--configuration', basename(configuration));
    expect(JSON.parse(stdout)).toEqual({
      raw: { node: 'v16.20.2', mode: 'test', bt: null },
      tokenize: { note: 'text' },
    });
    expect([status, stderr]).toEqual([0, 'called with {}\n']);
  });

  it('prints an error with its position in the author’s file, the error that a caller gets, and exits with 1', async () => {
    const {
      exitCode: status,
      out: stdout,
      err: stderr,
    } = await tried(code, '--args', file('args.json', { number: '4242' }));
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain("called with { number: '4242' }\nTypeError: number 4242\n");
    expect(stderr).toContain(`(${code}:4:26)`);
    expect(stderr).toContain('"detail": "The code threw a TypeError at line 4, column 26."');
  });

  const FAILURES = [
    ['a syntax error', 'let a = ;', 'has a syntax error at line 1, column 9'],
    ['a misspelt member of a result', 'module.exports = () => ({ tokenise: 1 })', 'did you mean `tokenize`?'],
    ['a missing module', 'require("left-pad")', "The code requires 'left-pad'"],
    [
      'a forbidden path that is required at run time',
      'module.exports = () => require("./other.js")',
      'The code requires something at line 1, column 24 that is neither a package nor',
    ],
    [
      'an invalid result',
      'module.exports = () => 7',
      'The code must return an object with `raw`, `tokenize`, or both.',
    ],
    [
      'unknown members of a result',
      'module.exports = () => ({ raw: 1, statusCode: 200, body: 1 })',
      'The code must return an object with no members other than `raw` and `tokenize`.',
    ],
  ] as const;

  // The messages are those of the service, which has tests of each.
  it.each(IS_THOROUGH ? FAILURES : FAILURES.slice(0, 1))(
    'exits with 1 for %s',
    async (_what, content, problem) => {
      const { exitCode: status, err: stderr } = await tried(file('other.js', content));
      expect([status, stderr]).toEqual([1, expect.stringContaining(problem)]);
    },
  );

  /** Writes a bundle as `reactor bundle` does. */
  async function packages(name: string, image: Image): Promise<string> {
    const { base64, bundle } = await writeBundle({
      version: 1,
      image,
      esbuild: '0.28.2',
      manifest: { dependencies: { 'left-pad': '1.3.0' } },
      lock: {
        lockfileVersion: 3,
        packages: { 'node_modules/left-pad': { version: '1.3.0', integrity: integrityOf('left-pad') } },
      },
      specifiers: ['left-pad'],
      code: `module.exports = {
  'left-pad': () => (text, length) => text.padStart(length),
};`,
      places: [[2, 23, 'left-pad']],
    });
    return file(name, { dependencies: bundle.dependencies, bundle: base64 });
  }

  it('runs code with the packages of a bundle, and says where one of them throws', async () => {
    const use = file(
      'use.js',
      `const pad = require('left-pad');
      module.exports = ({ args }) => ({ raw: pad(args.text, 5) });`,
    );
    const bundle = await packages('packages.json', 'node16');
    const ran = await tried(use, '--packages', bundle, '--args', file('args.json', { text: 'abc' }));
    expect([JSON.parse(ran.out), ran.err]).toEqual([{ raw: '  abc' }, '']);
    const failed = await tried(use, '--packages', bundle, '--image', 'node24');
    expect(failed.err).toContain('packages/code.cjs:2:');
    expect(failed.err).toMatch(
      /at line 2, column \d+, in the package left-pad at line 2, column \d+ of its b/,
    );
  });

  it('exits with 2 for packages of a later image, and for no packages', async () => {
    const { exitCode, err } = await tried(code, '--packages', await packages('later.json', 'node24'));
    expect([exitCode, err]).toEqual([2, expect.stringContaining('was made for node24, and this is node16')]);
    const changed = JSON.parse(readFileSync(join(folder, 'later.json'), 'utf8')) as object;
    const other = file('changed.json', { ...changed, dependencies: { 'left-pad': '1.0.0' } });
    expect((await tried(code, '--packages', other)).err).toContain('are not those of its bundle');
  });

  it('ends the last line that the code prints', async () => {
    const content = 'module.exports = () => { process.stdout.write("no line end"); return 7 }';
    expect((await tried(file('open.js', content))).err).toMatch(/^no line end\n.*open\.js failed\./);
  });

  it('exits with 2 and says only which package to install where Node 16 is missing', () => {
    const missing = `const Module = require('node:module');
      const found = Module._resolveFilename;
      Module._resolveFilename = (name, ...more) =>
        found(/^@cloakroom\\/node\\d+-/.test(name) ? './absent' : name, ...more);`;
    const program = join(root, 'packages/cli/bin/cloakroom.cjs');
    const args = ['--require', file('missing.cjs', missing), program, 'reactor', 'run', code];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^cloakroom: Node 16\S+ of the reactors is missing: run npm run build -- assets\n$/,
    );
  });

  it('exits with 2 and one line for a wrong command line', async () => {
    const { exitCode: status, err: stderr } = await tried('none.js');
    expect([status, stderr]).toEqual([2, 'cloakroom: none.js cannot be read: ENOENT\n']);
  });

  describe('bundle --inline', () => {
    const USE = `const { default: distance } = require('leven');
      const stringify = require('json-stable-stringify');
      module.exports = ({ args }) => ({ raw: { distance: distance(args.a, args.b), text: stringify(args) } });`;
    const RESULT = { raw: { distance: 3, text: '{"a":"kitten","b":"sitting"}' }, tokenize: undefined };
    const args = file('words.json', { b: 'sitting', a: 'kitten' });

    beforeAll(() => {
      mkdirSync(join(folder, 'node_modules'));
      // An ES module, which reactor code could not require.
      symlinkSync(join(root, 'node_modules/leven'), join(folder, 'node_modules', 'leven'));
    });

    it('prints code that runs, without the packages that the runtime has, and its sizes', async () => {
      const { exitCode: status, out: stdout, err: stderr } = await bundled(basename(file('use.js', USE)));
      expect(status).toBe(0);
      expect(stdout).toContain('require("json-stable-stringify")');
      expect(stderr).toMatch(/^ +[\d,]+ {2}leven\n +[\d,]+ {2}your code\n +[\d,]+ {2}in all, of 50,000 that/);
      const { out: result } = await tried(basename(file('bundle.js', stdout)), '--args', args);
      expect(JSON.parse(result)).toEqual(JSON.parse(JSON.stringify(RESULT)));
    });

    it('writes the bundle of an ES module in TypeScript to a file', async () => {
      const content = `import distance from 'leven';
        export default ({ args }: { args: Record<string, string> }) => ({ raw: distance(args.a!, args.b!) });`;
      const { exitCode: status, out: stdout } = await bundled(
        basename(file('use.ts', content)),
        '--out',
        'out.js',
      );
      expect([status, stdout]).toEqual([0, '']);
      expect(JSON.parse((await tried('out.js', '--args', args)).out)).toEqual({ raw: 3 });
    });

    it('leaves out what only a lenient service provides with --lenient', async () => {
      const content = `module.exports = require('@basis-theory/basis-theory-reactor-formulas-sdk-js');`;
      const written = basename(file('field.js', content));
      expect((await bundled(written)).err).toContain('is not installed');
      expect((await bundled(written, '--lenient')).exitCode).toBe(0);
    });

    it('names what does not resolve and what helps, and prints no code', async () => {
      const content = `require('left-pad');\nrequire('@scope/name/file'); require('./absent');`;
      const {
        exitCode: status,
        out: stdout,
        err: stderr,
      } = await bundled(basename(file('missing.js', content)));
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr.split('\n')).toEqual([
        'missing.js:1: the package left-pad is not installed. Run: npm install left-pad',
        'missing.js:2: the package @scope/name is not installed, or has no @scope/name/file. Run: npm install @scope/name',
        'missing.js:2: there is no file ./absent',
        '',
      ]);
    });

    it('names a syntax error with its line', async () => {
      const { exitCode: status, err: stderr } = await bundled(
        basename(file('broken.js', 'let a;\nlet = = 1;')),
      );
      expect([status, stderr]).toEqual([1, expect.stringContaining('broken.js:2: ')]);
    });

    it('overwrites no code, and names a file that cannot be written', async () => {
      const code = basename(file('same.js', 'module.exports = () => 1;'));
      const same = await bundled(code, '--out', code);
      expect([same.exitCode, same.err]).toEqual([2, expect.stringContaining('--out must name another file')]);
      const missing = await bundled(code, '--out', 'none/out.js');
      expect([missing.exitCode, missing.err]).toEqual([1, expect.stringContaining('ENOENT')]);
      expect(missing.err).not.toContain('    at ');
    });

    it('rejects a bundle that is longer than the code of a reactor, with what it would have', async () => {
      const content = `module.exports = () => ${JSON.stringify('x'.repeat(50_001))};`;
      const {
        exitCode: status,
        out: stdout,
        err: stderr,
      } = await bundled(basename(file('long.js', content)));
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        / {3}[\d,]+ {2}in all, of 50,000 .*\ncloakroom: long\.js is too long for a reactor by [\d,]+ ch/,
      );
    });

    it('warns of parts of Node.js that reactors may not use', async () => {
      const content = `require('node:child_process'); module.exports = () => 1`;
      const { exitCode: status, err: stderr } = await bundled(basename(file('process.js', content)));
      expect(status).toBe(0);
      expect(stderr).toContain('process.js requires child_process: there are no other processes');
      expect(readFileSync(join(folder, 'process.js'), 'utf8')).toBe(content);
    });
  });

  it.each([
    [['bundle', code, '--args', 'a.json'], "unknown option '--args'"],
    [['run', code, '--out', 'a.js'], "unknown option '--out'"],
    [['run'], "missing required argument 'FILE'"],
    [['run', 'a.js', 'b.js'], "too many arguments for 'run'"],
    [['run', code, '--args', code], 'is not JSON'],
    [['run', code, '--args', file('text.json', '"text"')], 'must contain an object'],
    [['run', code, '--configuration', file('numbers.json', { a: 1 })], 'must contain an object of strings'],
    [['run', code, '--url', 'https://api.example.com'], '--url needs an API key'],
  ])('rejects the command line %j', async (args, problem) => {
    const { exitCode, out, err } = await commandLine(['reactor', ...args]);
    expect([exitCode, out, err]).toEqual([2, '', expect.stringContaining(problem)]);
  });

  it('shows the code a client with the key of the environment if the command line asks for it', async () => {
    const content = 'module.exports = ({ bt }) => ({ raw: bt && typeof bt.tokens.retrieve });';
    const environment = { CLOAKROOM_API_KEY: 'key_private_x', CLOAKROOM_URL: 'https://vault.example.com' };
    const ran = async (...flags: readonly string[]) => {
      const { out } = await commandLine(['reactor', 'run', file('client.js', content), ...flags], {
        environment,
      });
      return JSON.parse(out) as unknown;
    };
    expect(await ran('--key-from', 'env:CLOAKROOM_API_KEY')).toEqual({ raw: 'function' });
    expect(await ran()).toEqual({ raw: null });
  });
});
