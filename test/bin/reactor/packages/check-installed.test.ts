import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkInstalled } from '../../../../bin/reactor/packages/check-installed.ts';

const folder = mkdtempSync(join(tmpdir(), 'cloakroom-installed-test-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const place = 'node_modules/a';

/** Checks a package by its `package.json` and other files. */
function checked(manifest: object | undefined, ...files: readonly string[]): void {
  rmSync(join(folder, place), { recursive: true, force: true });
  mkdirSync(join(folder, place), { recursive: true });
  for (const file of files) writeFileSync(join(folder, place, file), '');
  if (manifest !== undefined) writeFileSync(join(folder, place, 'package.json'), JSON.stringify(manifest));
  checkInstalled(folder, [{ place, name: 'a', version: '1.0.0' }]);
}

it.each(['1.0.0', 'v1.0.0', '1.0.0+build'])('takes the version %s for 1.0.0', (version) => {
  expect(() => {
    checked({ name: 'a', version });
  }).not.toThrow();
});

it.each<readonly [string, object | undefined, readonly string[], string]>([
  [
    'another name',
    { name: 'b', version: '1.0.0' },
    [],
    'the hash of another package for a 1.0.0: of b 1.0.0',
  ],
  ['another version', { name: 'a', version: '1.0.1' }, [], 'for a 1.0.0: of a 1.0.1'],
  ['no name', {}, [], 'the hash of another package'],
  ['nothing', undefined, [], 'npm did not install a'],
  ['the source of an addon', { name: 'a', version: '1.0.0' }, ['binding.gyp'], 'a is a native addon'],
  ['a script that compiles', { name: 'a', version: '1.0.0', gypfile: true }, [], 'a is a native addon'],
])('refuses an archive with %s', (_what, manifest, files, reason) => {
  expect(() => {
    checked(manifest, ...files);
  }).toThrow(reason);
});
