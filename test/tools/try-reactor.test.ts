import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { IS_THOROUGH } from '../../packages/test-kit/src/thoroughness.ts';
import { readOptions } from '../../tools/try-reactor/options.ts';
import { tryReactor } from '../../tools/try-reactor/try-reactor.ts';

const CODE = `const { BadRequestError } = require('@cloakroom/sdk');
module.exports = async ({ args, configuration, bt }) => {
  console.log('called with', args);
  if (args.number) throw new TypeError('number ' + args.number);
  if (args.refused) throw new BadRequestError('no', { errors: { card: ['is required'] } });
  return { raw: { node: process.version, mode: configuration.MODE, bt }, tokenize: { note: 'text' } };
};
`;

describe('npm run reactor', () => {
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
  /** Runs the command in this process, as npm calls it in another folder. */
  async function tried(...args: readonly string[]) {
    let stdout = '';
    let stderr = '';
    const status = await tryReactor(
      args,
      { INIT_CWD: folder },
      { out: (text) => (stdout += text), err: (text) => (stderr += text) },
    );
    return { status, stdout, stderr };
  }

  it('is a program', () => {
    const { status, stderr } = spawnSync(process.execPath, ['tools/try-reactor.ts'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('name one file')]);
  });

  it('prints the result on standard output, the console on standard error, and exits with 0', async () => {
    const configuration = file('configuration.json', { MODE: 'test' });
    const { status, stdout, stderr } = await tried('charge.js', '--configuration', basename(configuration));
    expect(JSON.parse(stdout)).toEqual({
      raw: { node: 'v16.20.2', mode: 'test', bt: null },
      tokenize: { note: 'text' },
    });
    expect([status, stderr]).toEqual([0, 'called with {}\n']);
  });

  it('prints an error with its position in the author’s file, the error that a caller gets, and exits with 1', async () => {
    const { status, stdout, stderr } = await tried(code, '--args', file('args.json', { number: '4242' }));
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
      const { status, stderr } = await tried(file('other.js', content));
      expect([status, stderr]).toEqual([1, expect.stringContaining(problem)]);
    },
  );

  it('ends the last line that the code prints', async () => {
    const content = 'module.exports = () => { process.stdout.write("no line end"); return 7 }';
    expect((await tried(file('open.js', content))).stderr).toMatch(/^no line end\n.*open\.js failed\./);
  });

  it('exits with 2 and one line for a wrong command line', async () => {
    const { status, stderr } = await tried('none.js');
    expect([status, stderr]).toEqual([2, 'none.js cannot be read: ENOENT (--help lists the options)\n']);
  });

  describe('with --bundle', () => {
    const USE = `const { default: distance } = require('leven');
      const stringify = require('json-stable-stringify');
      module.exports = ({ args }) => ({ raw: { distance: distance(args.a, args.b), text: stringify(args) } });`;
    const RESULT = { raw: { distance: 3, text: '{"a":"kitten","b":"sitting"}' }, tokenize: undefined };
    const args = file('words.json', { b: 'sitting', a: 'kitten' });

    beforeAll(() => {
      mkdirSync(join(folder, 'node_modules'));
      // An ES module, which reactor code could not require.
      symlinkSync(resolve('node_modules/leven'), join(folder, 'node_modules', 'leven'));
    });

    it('prints code that runs, without the packages that the runtime has, and its sizes', async () => {
      const { status, stdout, stderr } = await tried(basename(file('use.js', USE)), '--bundle');
      expect(status).toBe(0);
      expect(stdout).toContain('require("json-stable-stringify")');
      expect(stderr).toMatch(/^ +[\d,]+ {2}leven\n +[\d,]+ {2}your code\n +[\d,]+ {2}in all, of 50,000 that/);
      const { stdout: result } = await tried(basename(file('bundle.js', stdout)), '--args', args);
      expect(JSON.parse(result)).toEqual(JSON.parse(JSON.stringify(RESULT)));
    });

    it('writes the bundle of an ES module in TypeScript to a file', async () => {
      const content = `import distance from 'leven';
        export default ({ args }: { args: Record<string, string> }) => ({ raw: distance(args.a!, args.b!) });`;
      const { status, stdout } = await tried(
        '--bundle',
        basename(file('use.ts', content)),
        '--out',
        'out.js',
      );
      expect([status, stdout]).toEqual([0, '']);
      expect(JSON.parse((await tried('out.js', '--args', args)).stdout)).toEqual({ raw: 3 });
    });

    it('leaves out what only a lenient service provides with --lenient', async () => {
      const content = `module.exports = require('@basis-theory/basis-theory-reactor-formulas-sdk-js');`;
      const written = basename(file('field.js', content));
      expect((await tried(written, '--bundle')).stderr).toContain('is not installed');
      expect((await tried(written, '--bundle', '--lenient')).status).toBe(0);
    });

    it('names what does not resolve and what helps, and prints no code', async () => {
      const content = `require('left-pad');\nrequire('@scope/name/file'); require('./absent');`;
      const { status, stdout, stderr } = await tried(basename(file('missing.js', content)), '--bundle');
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr.split('\n')).toEqual([
        'missing.js:1: the package left-pad is not installed. Run: npm install left-pad',
        'missing.js:2: the package @scope/name is not installed, or has no @scope/name/file. Run: npm install @scope/name',
        'missing.js:2: there is no file ./absent',
        '',
      ]);
    });

    it('names a syntax error with its line', async () => {
      const { status, stderr } = await tried(basename(file('broken.js', 'let a;\nlet = = 1;')), '--bundle');
      expect([status, stderr]).toEqual([1, expect.stringContaining('broken.js:2: ')]);
    });

    it('overwrites no code, and names a file that cannot be written', async () => {
      const code = basename(file('same.js', 'module.exports = () => 1;'));
      const same = await tried(code, '--bundle', '--out', code);
      expect([same.status, same.stderr]).toEqual([
        2,
        expect.stringContaining('--out must name another file'),
      ]);
      const missing = await tried(code, '--bundle', '--out', 'none/out.js');
      expect([missing.status, missing.stderr]).toEqual([1, expect.stringContaining('ENOENT')]);
      expect(missing.stderr).not.toContain('    at ');
    });

    it('rejects a bundle that is longer than the code of a reactor, with what it would have', async () => {
      const content = `module.exports = () => ${JSON.stringify('x'.repeat(50_001))};`;
      const { status, stdout, stderr } = await tried(basename(file('long.js', content)), '--bundle');
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        / {3}[\d,]+ {2}in all, of 50,000 .*\nlong\.js is too long for a reactor by [\d,]+ ch/,
      );
    });

    it('warns of parts of Node.js that reactors may not use', async () => {
      const content = `require('node:child_process'); module.exports = () => 1`;
      const { status, stderr } = await tried(basename(file('process.js', content)), '--bundle');
      expect(status).toBe(0);
      expect(stderr).toContain('process.js requires child_process: there are no other processes');
      expect(readFileSync(join(folder, 'process.js'), 'utf8')).toBe(content);
    });
  });

  it.each([
    [[code, '--bundle', '--args', 'a.json'], '--args has no effect with --bundle'],
    [[code, '--out', 'a.js'], '--out needs --bundle'],
    [[], 'name one file'],
    [['a.js', 'b.js'], 'name one file'],
    [[code, '--args', code], 'is not JSON'],
    [[code, '--args', file('text.json', '"text"')], 'must contain an object'],
    [[code, '--configuration', file('numbers.json', { a: 1 })], 'must contain an object of strings'],
    [[code, '--nothing'], "Unknown option '--nothing'"],
    [[code, '--key', 'k', '--url', 'nowhere'], 'is not a URL'],
    [[code, '--url', 'https://api.example.com'], '--url needs an API key'],
    [[code, '--key', 'k', '--key', 'l'], '--key appears twice'],
    [[code, '--lenient', '--lenient'], '--lenient appears twice'],
  ])('rejects the command line %j', (args, problem) => {
    expect(() => readOptions(args, {})).toThrow(problem);
  });

  it.each([
    [['--key', 'k'], {}, { apiKey: 'k', baseUrl: 'http://localhost:8787' }],
    [[], { CLOAKROOM_KEY: 'k' }, { apiKey: 'k', baseUrl: 'http://localhost:8787' }],
    [['--key', 'k'], { CLOAKROOM_KEY: 'other' }, { apiKey: 'k', baseUrl: 'http://localhost:8787' }],
    [['--url', 'https://a.example'], { CLOAKROOM_KEY: 'k' }, { apiKey: 'k', baseUrl: 'https://a.example' }],
    [[], { CLOAKROOM_KEY: '' }, undefined],
  ])('uses the client of %j and the environment %j', (args, environment, client) => {
    expect(readOptions([code, ...args], environment)).toMatchObject(client === undefined ? {} : { client });
    expect('client' in Object(readOptions([code, ...args], environment))).toBe(client !== undefined);
  });
});
