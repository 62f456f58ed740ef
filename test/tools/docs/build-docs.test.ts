import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inThoroughRun } from '../../../packages/test-kit/src/which-runs.ts';

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

inThoroughRun.it(
  'a folder with any characters in its name builds the site and starts the service',
  async () => {
    const clone = join(folder, 'ä b#c%20d?e');
    spawnSync('git', ['clone', '--quiet', process.cwd(), clone]);
    symlinkSync(join(process.cwd(), 'node_modules'), join(clone, 'node_modules'));
    const inClone = { cwd: clone, encoding: 'utf8' } as const;
    const { status, stderr } = spawnSync(process.execPath, ['tools/build-docs.ts'], inClone);
    expect([status, stderr]).toEqual([0, '']);
    expect(readdirSync(join(clone, 'dist', 'docs'))).toEqual(expect.arrayContaining(['start', 'pagefind']));
    const service = spawn(process.execPath, ['bin/start.cjs', '--port', '0'], { cwd: clone });
    let output = '';
    for (const stream of [service.stdout, service.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes('Ready.')) service.kill('SIGINT');
      });
    const [code] = (await once(service, 'close')) as [number | null];
    expect([code, output]).toEqual([0, expect.stringContaining('Ready.')]);
  },
);

describe('npm run docs', () => {
  it('replaces no folder with other files, and no file', () => {
    const theirs = join(folder, 'theirs');
    const file = join(folder, 'file');
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
