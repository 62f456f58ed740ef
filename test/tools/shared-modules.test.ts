import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { JestFile, JestReport } from '../../tools/test/failures.ts';

const ROOT = join(import.meta.dirname, '../..');
const SUPPORT = join(ROOT, 'test/support/shared-modules');

/** Changes its process, which must not show in the next file, whichever that is. */
const LEAVES = `it('a', async () => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect([process.env.LEFT, Date.now() > 7, typeof console.log, process.cwd()]).toEqual([undefined, true, 'function', '/']);
  Object.assign(globalThis, { console: undefined });
  process.env.LEFT = '1';
  process.chdir('/tmp');
  jest.spyOn(Date, 'now').mockReturnValue(7);
  jest.useFakeTimers();
});`;

/** Test files, each with the statuses of its tests; `broken` for a file that fails itself. */
const FILES: Readonly<Record<string, readonly [code: string, ...statuses: string[]]>> = {
  asserts: [
    `it('a', () => expect(1).toBe(1)); it('b', () => expect(1).toBe(2)); it.skip('c', () => {});
     it('d', () => expect.assertions(1));`,
    ...['passed', 'failed', 'pending', 'failed'],
  ],
  'never-ends': [`it('a', () => new Promise(() => {}), 50); it('b', () => {});`, 'failed', 'passed'],
  'rejects-unseen': [
    `it('a', async () => { Promise.reject(new Error('x')); await new Promise((r) => setTimeout(r, 20)); });`,
    'failed',
  ],
  'fails-before': [
    `describe('x', () => { beforeAll(() => { throw new Error('x') }); it('a', () => {}) }); it('b', () => {});`,
    ...['failed', 'passed'],
  ],
  'fails-after': [`afterAll(() => { throw new Error('x') }); it('a', () => {});`, 'passed', 'broken'],
  'has-no-module': [`import './none.mjs'; it('a', () => {});`, 'broken'],
  'has-no-syntax': [`it('a', () => {`, 'broken'],
  'has-no-test': ['', 'broken'],
  leaves: [LEAVES, 'passed'],
  'leaves-too': [LEAVES, 'passed'],
};

const statuses = ({ assertionResults, status, message }: JestFile): readonly string[] => {
  const found = assertionResults.map((test) => test.status as string);
  const isBroken = status === 'failed' && message !== '' && !found.includes('failed');
  return isBroken ? [...found, 'broken'] : found;
};

it('jest reports every way in which a file fails, and files with the same modules leave nothing behind', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-test-'));
  for (const [name, [code]] of Object.entries(FILES)) writeFileSync(join(folder, `${name}.test.mjs`), code);
  const config = {
    rootDir: folder,
    testMatch: ['**/*.test.mjs'],
    transform: {},
    testEnvironment: join(SUPPORT, 'environment.ts'),
    runtime: join(SUPPORT, 'runtime.ts'),
  };
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const { status, stdout } = spawnSync(
    process.execPath,
    [jest, '--json', '--runInBand', '--config', JSON.stringify(config)],
    { encoding: 'utf8', cwd: '/' },
  );
  const { testResults } = JSON.parse(stdout) as JestReport;
  const found = Object.fromEntries(
    testResults.map((file) => [basename(file.name, '.test.mjs'), statuses(file)]),
  );
  expect(found).toEqual(
    Object.fromEntries(Object.entries(FILES).map(([name, [, ...expected]]) => [name, expected])),
  );
  expect(status).toBe(1);
});
