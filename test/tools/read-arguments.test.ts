import { spawnSync } from 'node:child_process';

const called = (program: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
};

it.each([
  ['tools/build-docs.ts', '--nope', /^Unknown option '--nope'\nnpm run docs -- /],
  ['tools/bench/bench.ts', 'nope', /^there is no nope\nnpm run bench -- /],
])('%s names what it does not know, and its usage', (program, argument, words) => {
  const { status, stderr } = called(program, argument);
  expect([status, stderr]).toEqual([2, expect.stringMatching(words)]);
  expect(stderr).not.toContain('    at ');
});

it('a program prints its usage for --help', () => {
  const usage = expect.stringContaining('npm run docs -- ');
  expect(called('tools/build-docs.ts', '--help')).toEqual({ status: 0, stdout: usage, stderr: '' });
});
