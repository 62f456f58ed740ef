import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../../bin/command-line/failures.ts';
import { recordVersion, requireVersion } from '../../../bin/start/data-version.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'data-version-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it.each(['0.1.0', '0.2.0', '0.10.0', '1.0.0'])(
  'version %s takes the folder of 0.1.0 over',
  async (version) => {
    await recordVersion(folder, '0.1.0');
    requireVersion(folder, version);
    await recordVersion(folder, version);
    expect(JSON.parse(readFileSync(join(folder, 'version.json'), 'utf8'))).toEqual({ version });
  },
);

it.each(['0.9.9', '0.10.9', '1.1.1'])(
  'version %s refuses the folder of 1.2.0, and changes nothing',
  async (version) => {
    await recordVersion(folder, '1.2.0');
    const message = `${folder} was written by cloakroom 1.2.0, and this is ${version}: use that version, or another folder`;
    expect(() => requireVersion(folder, version)).toThrow(new UsageError(message));
    expect(readFileSync(join(folder, 'version.json'), 'utf8')).toBe('{"version":"1.2.0"}');
  },
);

it('a folder with other files is refused, unless a start began in it', () => {
  writeFileSync(join(folder, '.DS_Store'), '');
  mkdirSync(join(folder, 'lost+found'));
  requireVersion(folder);
  writeFileSync(join(folder, 'package.json'), '{}');
  expect(() => requireVersion(folder)).toThrow(UsageError);
  writeFileSync(join(folder, 'lock'), '');
  requireVersion(folder);
});

it('a folder without a version is taken, and one with something else is refused', () => {
  requireVersion(folder, '0.1.0');
  expect(readdirSync(folder)).toEqual([]);
  writeFileSync(join(folder, 'version.json'), '[]');
  expect(() => requireVersion(folder, '0.1.0')).toThrow(UsageError);
});
