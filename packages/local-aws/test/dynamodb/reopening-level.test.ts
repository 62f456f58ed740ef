import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Level } from '../../src/dynamodb/dynalite-types.ts';
import { levelIn, openReopeningLevel } from '../../src/dynamodb/reopening-level.ts';
import { createStorageFailure } from '../../src/storage-failure.ts';

const ERROR = Object.assign(new Error('IO error: 000007.ldb: No space left on device'), {
  code: 'LEVEL_IO_ERROR',
});
const put = (key: string) => [{ type: 'put' as const, key, value: key }];

let directory: string;
let nowMs = 0;
/** Every database that was opened, in order. */
let opened: Level[] = [];
/** Whether the next database opens. */
let opens = true;
let reported: string[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'level-'));
  [opened, opens, reported, nowMs] = [[], true, [], 0];
  // oxlint-disable-next-line no-restricted-globals -- This injects the time.
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
});

afterEach(() => {
  jest.restoreAllMocks();
  rmSync(directory, { recursive: true });
});

function create(path: string | undefined): Level {
  const made = levelIn(path);
  opened.push(made);
  if (!opens) jest.spyOn(made, 'open').mockRejectedValue(ERROR);
  return made;
}

/** A database that rejects every write from the second on, as LevelDB does after some failures. */
async function aFailedLevel() {
  const failure = createStorageFailure(directory, (reason) => reported.push(reason));
  const level = await openReopeningLevel(directory, failure, create);
  await level.batch(put('before'));
  const batch = jest.spyOn(level.current, 'batch').mockRejectedValue(ERROR);
  await expect(level.batch(put('refused'))).rejects.toMatchObject({ code: 'ServiceUnavailable' });
  return { level, batch };
}

it('a failed write causes all others to be rejected immediately, reads work, and one line is reported', async () => {
  const { level, batch } = await aFailedLevel();
  nowMs += 999;
  await expect(level.batch(put('other'))).rejects.toThrow(`the disk of ${directory} is full`);
  expect(batch).toHaveBeenCalledTimes(1);
  expect(level.current.getSync('before')).toBe('before');
  expect(reported).toEqual([`the disk of ${directory} is full`]);
  await level.close();
});

it('the database is reopened after a second, with all acknowledged writes', async () => {
  const { level } = await aFailedLevel();
  nowMs += 1_000;
  await level.batch(put('after'));
  expect(opened).toHaveLength(2);
  expect(['before', 'refused', 'after'].map((key) => level.current.getSync(key))).toEqual([
    'before',
    undefined,
    'after',
  ]);
  await level.close();
});

it('a database that does not reopen is retried after a second, also by reads', async () => {
  const { level } = await aFailedLevel();
  nowMs += 1_000;
  opens = false;
  await expect(level.batch(put('after'))).rejects.toThrow(/is full/);
  opens = true;
  await expect(level.ready()).rejects.toThrow(/is full/);
  nowMs += 1_000;
  await level.ready();
  expect(level.current.getSync('before')).toBe('before');
  await level.close();
});

it('a read waits while the database is reopened', async () => {
  const { level } = await aFailedLevel();
  nowMs += 1_000;
  const writing = level.batch(put('after'));
  while (opened.length < 2) await new Promise((resolve) => setImmediate(resolve));
  await level.ready();
  expect(level.current.getSync('before')).toBe('before');
  await writing;
  await level.close();
});

it('a database that was closed stays closed', async () => {
  const { level } = await aFailedLevel();
  await level.close();
  nowMs += 1_000;
  await expect(level.batch(put('late'))).rejects.toThrow(/is closed/);
  expect(opened).toHaveLength(1);
});
