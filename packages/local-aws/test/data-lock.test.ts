import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilTrue } from '../../test-kit/src/until.ts';
import { lockDataDirectory } from '../src/data-lock.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'lock-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

it('a folder that does not exist is created, readable by its owner only', () => {
  const release = lockDataDirectory(join(directory, 'a', 'b'));
  expect(statSync(join(directory, 'a', 'b')).mode & 0o777).toBe(0o700);
  release();
});

// Only Linux has a parent that takes no folders, from root neither.
(process.platform === 'linux' ? it : it.skip)('a folder that cannot exist is named, with its parent', () => {
  expect(() => lockDataDirectory('/proc/no/folder')).toThrow(
    /^\/proc\/no cannot be created: \/proc takes no folders$/,
  );
});

it('a second start is rejected until the first releases the lock', () => {
  const release = lockDataDirectory(directory);
  expect(() => lockDataDirectory(directory)).toThrow(
    `${directory} is in use by process ${String(process.pid)}`,
  );
  release();
  lockDataDirectory(directory)();
  expect(readdirSync(directory)).toEqual([]);
});

it('the lock of a killed process does not block a start', () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  writeFileSync(join(directory, 'lock'), `${String(pid)}-12345\n`);
  lockDataDirectory(directory)();
});

it('a lock whose process id now belongs to another process does not block a start', () => {
  const other = spawn(process.execPath, ['-e', 'process.stdin.resume()']);
  try {
    writeFileSync(join(directory, 'lock'), `${String(other.pid)}-1\n`);
    if (process.platform === 'linux') lockDataDirectory(directory)();
  } finally {
    other.kill('SIGKILL');
  }
});

(process.platform === 'linux' ? it : it.skip)(
  'the lock of a zombie process does not block a start',
  async () => {
    // The shell becomes a program that never waits for its child, which ends later: the shell
    // itself would wait.
    const parent = spawn('sh', ['-c', 'exec 3<&0; cat <&3 & echo $!; exec sleep 3600']);
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = line.toString().trim();
      const stat = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
      const program = () => readFileSync(`/proc/${String(parent.pid)}/comm`, 'utf8').trim();
      await untilTrue(() => program() === 'sleep');
      parent.stdin.end();
      await untilTrue(() => stat()[2] === 'Z');
      writeFileSync(join(directory, 'lock'), `${pid}-${stat()[21] ?? ''}\n`);
      lockDataDirectory(directory)();
    } finally {
      parent.kill('SIGKILL');
    }
  },
);

it.each(['', 'nonsense', '-1-5', '99999999999-1'])(
  'an invalid lock (%j) does not block a start',
  (content) => {
    writeFileSync(join(directory, 'lock'), content);
    lockDataDirectory(directory)();
  },
);

it.each([
  ['a file', (file: string) => file, (file: string) => `${file} is not a folder`],
  [
    'a folder below a file',
    (file: string) => join(file, 'x'),
    (file: string) => `ENOTDIR: not a directory, mkdir '${join(file, 'x')}'`,
  ],
])('%s as a data folder is rejected with its path', (_title, folderOf, messageOf) => {
  const file = join(directory, 'file');
  writeFileSync(file, '');
  expect(() => lockDataDirectory(folderOf(file))).toThrow(messageOf(file));
});
