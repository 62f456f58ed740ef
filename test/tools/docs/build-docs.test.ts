import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'cloakroom-docs-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const build = (...args: readonly string[]) => {
  const { status, stderr } = spawnSync(process.execPath, ['tools/build-docs.ts', ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });
  return { status, stderr };
};

describe('npm run docs', () => {
  it('replaces no folder with other files, and no file', () => {
    const [theirs, file] = [join(folder, 'theirs'), join(folder, 'file')];
    mkdirSync(theirs);
    writeFileSync(join(theirs, 'thesis.txt'), 'a');
    writeFileSync(file, 'a');
    expect(build(theirs)).toEqual({ status: 1, stderr: expect.stringContaining('no built documentation') });
    expect(build(file)).toEqual({ status: 1, stderr: expect.stringContaining('is a file') });
    expect(readdirSync(theirs)).toEqual(['thesis.txt']);
  });

  it.each([
    ['--base', 'a b'],
    ['--base', '../x'],
    ['--base', '//evil.example'],
    ['--api', 'http://vault.example.com'],
    ['--api', 'javascript:alert(1)'],
    ['--api', 'https://vault.example.com"><script>'],
  ])('rejects %s %s', (option, value) => {
    expect(build(join(folder, 'new'), option, value)).toEqual({
      status: 1,
      stderr: expect.stringContaining(option),
    });
  });
});
