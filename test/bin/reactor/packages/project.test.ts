import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFolder, readProject } from '../../../../bin/reactor/packages/project.ts';

const folder = mkdtempSync(join(tmpdir(), 'cloakroom-project-test-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

let count = 0;

/** Writes a project with these files. */
function project(files: Readonly<Record<string, unknown>>): string {
  const made = join(folder, String((count += 1)));
  mkdirSync(made);
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(made, name), typeof content === 'string' ? content : JSON.stringify(content));
  return made;
}

const LOCK = { lockfileVersion: 3, packages: { '': {} } };
const LOCK_ONLY = 'npm install --package-lock-only --ignore-scripts';

it('finds the nearest package.json above a file', () => {
  const made = project({ 'package.json': {} });
  expect(projectFolder(join(made, 'src/reactors/charge.js'))).toBe(made);
});

it('says how a folder of a workspace gets a lock of its own', () => {
  const made = project({ 'package.json': { workspaces: ['*'] }, 'package-lock.json': LOCK });
  mkdirSync(join(made, 'inside'));
  writeFileSync(join(made, 'inside/package.json'), '{}');
  expect(() => readProject(join(made, 'inside'))).toThrow(`${LOCK_ONLY} --no-workspaces`);
});

it.each([2, 3])('reads a lock of version %d', (lockfileVersion) => {
  const made = project({
    'package.json': '\uFEFF{}',
    'package-lock.json': { ...LOCK, lockfileVersion },
    'yarn.lock': '',
  });
  expect(readProject(made)).toMatchObject({ folder: made, lock: { packages: { '': {} } } });
});

it.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
  ['no lock', {}, LOCK_ONLY],
  ['pnpm', { 'pnpm-lock.yaml': '' }, LOCK_ONLY],
  ['yarn', { 'yarn.lock': '' }, 'npm takes the versions of it'],
  ['bun', { 'bun.lock': '' }, LOCK_ONLY],
  ['old bun', { 'bun.lockb': '' }, LOCK_ONLY],
  ['a shrinkwrap', { 'npm-shrinkwrap.json': '{}' }, 'Rename it to package-lock.json'],
  ['npm 6', { 'package-lock.json': { lockfileVersion: 1, dependencies: {} } }, '--lockfile-version 3'],
  ['no JSON', { 'package-lock.json': '<<<<<<< HEAD' }, 'package-lock.json is not JSON'],
  [
    'an entry of another kind',
    { 'package-lock.json': { ...LOCK, packages: { 'node_modules/a': { version: 1 } } } },
    'its packages.node_modules/a.version is another',
  ],
  [
    'a manifest of another kind',
    { 'package-lock.json': LOCK, 'package.json': { dependencies: [] } },
    'its dependencies',
  ],
])('says what helps for %s', (_what, files, reason) => {
  const made = project({ 'package.json': {}, ...files });
  expect(() => readProject(made)).toThrow(reason);
  const [other] = Object.keys(files);
  expect(() => readProject(made)).toThrow(join(made, other?.startsWith('package') === false ? other : ''));
});
