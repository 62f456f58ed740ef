import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localFolder } from '../../../bin/command-line/local-folder.ts';

it('Git ignores the folder of keys and logs, and a list of the person stays', () => {
  const before = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), 'local-folder-'));
  process.chdir(folder);
  try {
    const list = join(localFolder(), '.gitignore');
    expect(readFileSync(list, 'utf8')).toBe('*\n');
    writeFileSync(list, '!mine\n');
    localFolder();
    expect(readFileSync(list, 'utf8')).toBe('!mine\n');
  } finally {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  }
});
