// Old assets stop a synthesis: in a copy of the modules, whose sources a test may change.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MODULES = [
  'lib/asset-folder.ts',
  'lib/asset-parts.ts',
  'packages/local-aws/src/assembly/files-key.ts',
  'packages/local-aws/src/error-code.ts',
];

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'asset-folder-'));
  for (const file of [...MODULES, 'package.json']) cpSync(file, join(root, file));
  mkdirSync(join(root, 'console/src'), { recursive: true });
  writeFileSync(join(root, 'console/src/main.tsx'), 'one');
});
afterEach(() => rmSync(root, { recursive: true }));

/** Returns what a new process prints, or the message of its error. */
function run(expression: string): string {
  const program = `import { assetFolder, folderOfSources } from './lib/asset-folder.ts';
    try { console.log(${expression}); } catch (error) { console.log(error.message); }`;
  const options = { cwd: root, encoding: 'utf8' } as const;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', program], options).stdout.trim();
}

it('a part is found as long as its sources stay, and a change of them stops the synthesis', () => {
  const message = 'the assets (console) are not those of the sources: run npm run build -- assets';
  expect(run("assetFolder('console')")).toBe(message);
  const folder = run("folderOfSources('console')");
  mkdirSync(folder, { recursive: true });
  expect(run("assetFolder('console')")).toBe(folder);
  writeFileSync(join(root, 'console/src/main.tsx'), 'two');
  expect(run("assetFolder('console')")).toBe(message);
});
