import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOptions } from '../../tools/try-reactor/options.ts';

const CODE = `const { BadRequestError } = require('@cloakroom/sdk');
module.exports = async ({ args, configuration, bt }) => {
  console.log('called with', args);
  if (args.number) throw new TypeError('number ' + args.number);
  if (args.refused) throw new BadRequestError('no', { errors: { card: ['is required'] } });
  return { raw: { node: process.version, mode: configuration.MODE, bt }, tokenize: { kept: 'text' } };
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
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
    return { status, stdout, stderr };
  };

  it('prints the result on standard output, the console on standard error, and exits with 0', () => {
    const configuration = file('configuration.json', { MODE: 'test' });
    const { status, stdout, stderr } = tried(code, '--configuration', configuration);
    expect(JSON.parse(stdout)).toEqual({
      raw: { node: 'v16.20.2', mode: 'test', bt: null },
      tokenize: { kept: 'text' },
    });
    expect([status, stderr]).toEqual([0, 'called with {}\n']);
  });

  it('prints an error with its place in the author’s file, what a caller gets, and exits with 1', () => {
    const { status, stdout, stderr } = tried(code, '--args', file('args.json', { number: '4242' }));
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain("called with { number: '4242' }\nTypeError: number 4242\n");
    expect(stderr).toContain(`(${code}:4:26)`);
    expect(stderr).toContain('"detail": "The code threw a TypeError at line 4, column 26."');
  });

  it.each([
    ['a syntax error', 'let a = ;', 'has a syntax error at line 1, column 9'],
    ['a module that there is not', 'require("left-pad")', "The code requires 'left-pad'"],
    ['a result that is none', 'module.exports = () => 7', 'The code must return an object'],
  ])('exits with 1 for %s', (_what, content, problem) => {
    const { status, stderr } = tried(file('other.js', content));
    expect([status, stderr]).toEqual([1, expect.stringContaining(problem)]);
  });

  it('exits with 2 and one line for a wrong command line', () => {
    const { status, stderr } = tried('none.js');
    expect([status, stderr]).toEqual([2, 'none.js cannot be read: ENOENT (--help lists the options)\n']);
  });

  it.each([
    [[], 'name one file'],
    [['a.js', 'b.js'], 'name one file'],
    [[code, '--args', code], 'is not JSON'],
    [[code, '--args', file('text.json', '"text"')], 'must hold an object'],
    [[code, '--configuration', file('numbers.json', { a: 1 })], 'must hold an object of strings'],
    [[code, '--nothing'], "Unknown option '--nothing'"],
    [[code, '--url', 'nowhere'], 'is not a URL'],
  ])('refuses the command line %j', (args, problem) => {
    expect(() => readOptions(args)).toThrow(problem);
  });
});
