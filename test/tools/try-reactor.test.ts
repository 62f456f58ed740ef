import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readOptions } from '../../tools/try-reactor/options.ts';

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
  const tried = (...args: readonly string[]) => {
    const command = ['tools/try-reactor.ts', ...args];
    // As npm sets it for a command that is called in another folder.
    const env = { ...process.env, INIT_CWD: folder };
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { env, encoding: 'utf8' });
    return { status, stdout, stderr };
  };

  it('prints the result on standard output, the console on standard error, and exits with 0', () => {
    const configuration = file('configuration.json', { MODE: 'test' });
    const { status, stdout, stderr } = tried('charge.js', '--configuration', basename(configuration));
    expect(JSON.parse(stdout)).toEqual({
      raw: { node: 'v16.20.2', mode: 'test', bt: null },
      tokenize: { note: 'text' },
    });
    expect([status, stderr]).toEqual([0, 'called with {}\n']);
  });

  it('prints an error with its position in the author’s file, the error that a caller gets, and exits with 1', () => {
    const { status, stdout, stderr } = tried(code, '--args', file('args.json', { number: '4242' }));
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain("called with { number: '4242' }\nTypeError: number 4242\n");
    expect(stderr).toContain(`(${code}:4:26)`);
    expect(stderr).toContain('"detail": "The code threw a TypeError at line 4, column 26."');
  });

  it.each([
    ['a syntax error', 'let a = ;', 'has a syntax error at line 1, column 9'],
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
    ['a misspelt member of a result', 'module.exports = () => ({ tokenise: 1 })', 'did you mean `tokenize`?'],
  ])('exits with 1 for %s', (_what, content, problem) => {
    const { status, stderr } = tried(file('other.js', content));
    expect([status, stderr]).toEqual([1, expect.stringContaining(problem)]);
  });

  it('ends the last line that the code prints', () => {
    const content = 'module.exports = () => { process.stdout.write("no line end"); return 7 }';
    expect(tried(file('open.js', content)).stderr).toMatch(/^no line end\n.*open\.js failed\./);
  });

  it('exits with 2 and one line for a wrong command line', () => {
    const { status, stderr } = tried('none.js');
    expect([status, stderr]).toEqual([2, 'none.js cannot be read: ENOENT (--help lists the options)\n']);
  });

  it.each([
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
