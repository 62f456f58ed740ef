import { existsSync } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { MemoryLevel } from 'memory-level';
import { errorCode, errorMessage } from '../error-code.ts';
import { damaged, STORAGE_RETRY_MS, type StorageFailure } from '../storage-failure.ts';
import type { Level, LevelOperation } from './dynalite-types.ts';

/**
 * A LevelDB that is opened again after the disk refused a write: otherwise it loses or refuses
 * later writes (docs/decisions/0033-reopen-a-database-after-a-failed-write.md).
 */
export interface ReopeningLevel {
  /** Use it for reads. A reopening replaces it, and it is closed during one. */
  readonly current: Level;
  /** Resolves when `current` is open. Rejects with AwsError while the disk prevents that. */
  ready(): Promise<void>;
  /** All or nothing. Rejects with AwsError while writes are refused. */
  batch(operations: readonly LevelOperation[]): Promise<void>;
  close(): Promise<void>;
}

/** The space that a table's index, a new log and a new CURRENT need. */
const SPARE_BYTES = 256 * 1024;

function openFailure(directory: string, error: unknown, failure: StorageFailure): Error {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const message = errorMessage(cause);
  if (errorCode(cause) === 'LEVEL_LOCKED') return new Error(`${directory} is in use by another process`);
  const isDamaged = errorCode(cause) === 'LEVEL_CORRUPTION' || message.includes('No such file');
  if (!isDamaged) return failure(cause);
  // LevelDB names the file except for these two.
  const where = message.includes(directory) ? '' : ' (in CURRENT or the MANIFEST that it names)';
  return damaged(directory, `${message}${where}`, error);
}

const JSON_VALUES = { valueEncoding: 'json' } as const;

/** A database that is not open yet. */
export function levelIn(directory: string | undefined): Level {
  if (directory !== undefined) return new ClassicLevel<string, unknown>(directory, JSON_VALUES);
  // As text: a small Buffer is a slice of 8 KB, and keeps all of it in memory.
  return new MemoryLevel<string, unknown>({ ...JSON_VALUES, storeEncoding: 'utf8' });
}

/** LevelDB drops what it cannot read of its log, reports it here, and goes on. */
const LOG = 'LOG';
const DROPPED = /dropping \d+ bytes; .*/;
/** Has the loss that an open found: the next one would find none, as the log is moved to tables. */
const LOSS = 'damaged';

/**
 * Rejects if the database has lost writes: a revoked key could be valid again. A process that died
 * while it wrote leaves no such loss.
 */
async function requireWhole(directory: string): Promise<void> {
  const loss = join(directory, LOSS);
  const found = DROPPED.exec(await readFile(join(directory, LOG), 'utf8'))?.[0];
  if (found !== undefined) await writeFile(loss, found, { flush: true });
  if (!existsSync(loss)) return;
  const fact = `acknowledged writes are lost (LevelDB: ${await readFile(loss, 'utf8')})`;
  throw damaged(directory, fact);
}

async function open(
  directory: string | undefined,
  failure: StorageFailure,
  create: typeof levelIn,
): Promise<Level> {
  const db = create(directory);
  await db.open().catch((error: unknown) => {
    throw openFailure(directory ?? 'memory', error, failure);
  });
  if (directory === undefined) return db;
  try {
    await requireWhole(directory);
  } catch (error) {
    await db.close();
    throw error;
  }
  return db;
}

/** Opening moves the content of the logs into tables, and writes a new manifest. */
async function bytesToOpen(directory: string): Promise<number> {
  const names = (await readdir(directory)).filter((name) => /\.log$|^MANIFEST-/.test(name));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(directory, name))).size));
  return sizes.reduce((sum, size) => sum + size, SPARE_BYTES);
}

/** Rejects unless there is room to open the database: a closed one cannot be read. */
async function requireRoom(directory: string): Promise<void> {
  const probe = join(directory, 'probe');
  try {
    await writeFile(probe, Buffer.alloc(await bytesToOpen(directory)), { flush: true });
  } finally {
    await rm(probe, { force: true });
  }
}

/** Opens the database in a directory, or in memory without one. */
export async function openReopeningLevel(
  directory: string | undefined,
  failure: StorageFailure,
  create = levelIn,
): Promise<ReopeningLevel> {
  let current = await open(directory, failure, create);
  let isOpen = true;
  let isClosed = false;
  let refused: { readonly reason: Error; readonly atMs: number } | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** Sequential: no write may be appended after a failed one. */
  function inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = last.then(task);
    last = turn.catch(() => undefined);
    return turn;
  }

  /** Runs a step after which the log is reliable; until it succeeds nothing is written. */
  async function guarded(step: () => Promise<void>): Promise<void> {
    try {
      await step();
      refused = undefined;
    } catch (error) {
      const reason = failure(error);
      refused = { reason, atMs: performance.now() };
      throw reason;
    }
  }

  async function reopen(path: string): Promise<void> {
    await requireRoom(path);
    isOpen = false;
    await current.close();
    current = await open(path, failure, create);
    isOpen = true;
  }

  async function recover(path: string): Promise<void> {
    if (isClosed) throw new Error(`${path} is closed`);
    if (refused === undefined) return;
    if (performance.now() - refused.atMs < STORAGE_RETRY_MS) throw refused.reason;
    await guarded(() => reopen(path));
  }

  return {
    get current() {
      return current;
    },
    ready: async () => {
      if (!isOpen && directory !== undefined) await inTurn(() => recover(directory));
    },
    batch: (operations) =>
      inTurn(async () => {
        if (directory === undefined) {
          await current.batch(operations);
          return;
        }
        await recover(directory);
        await guarded(() => current.batch(operations));
      }),
    close: () =>
      inTurn(async () => {
        isClosed = true;
        await current.close();
      }),
  };
}
