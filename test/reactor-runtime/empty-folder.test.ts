import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyFolder } from '../../reactor-runtime/loop/empty-folder.ts';

describe('emptying the temp folder', () => {
  const root = mkdtempSync(join(tmpdir(), 'cloakroom-empty-'));
  const folder = join(root, 'temp');
  const outside = join(root, 'outside');

  beforeEach(() => {
    mkdirSync(folder);
    mkdirSync(outside, { recursive: true });
    writeFileSync(join(outside, 'saved'), '');
  });
  afterEach(() => {
    const before = process.cwd();
    emptyFolder(folder);
    expect(readdirSync(folder)).toEqual([]);
    expect(readdirSync(outside)).toEqual(['saved']);
    expect(process.cwd()).toBe(before);
    rmSync(folder, { recursive: true });
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it('accepts an empty one', () => {
    expect(existsSync(folder)).toBe(true);
  });

  it('removes thousands of names and nested folders', () => {
    for (let at = 0; at < 2_000; at += 1) writeFileSync(join(folder, `file-${String(at)}`), '');
    for (let at = 0; at < 200; at += 1) {
      mkdirSync(join(folder, `folder-${String(at)}`, 'inner'), { recursive: true });
      writeFileSync(join(folder, `folder-${String(at)}`, 'inner', 'file'), 'x');
    }
  });

  it('removes folders deeper than the longest path', () => {
    const before = process.cwd();
    process.chdir(folder);
    for (let at = 0; at < 200; at += 1) {
      mkdirSync('d'.repeat(100));
      process.chdir('d'.repeat(100));
      writeFileSync('file', '');
    }
    process.chdir(before);
  });

  it('removes unreadable folders, and links without their targets', () => {
    mkdirSync(join(folder, 'closed', 'inner'), { recursive: true });
    writeFileSync(join(folder, 'closed', 'inner', 'file'), '');
    symlinkSync(outside, join(folder, 'link'));
    symlinkSync(join(outside, 'saved'), join(folder, 'closed', 'link'));
    for (const name of ['closed/inner', 'closed', '.']) chmodSync(join(folder, name), 0);
  });
});
