import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';

/**
 * `visible`: callers see it. `pending`: it is being created. `leaving`: it is being deleted.
 * `gone`: a tombstone.
 */
const STATES = ['visible', 'pending', 'leaving', 'gone'] as const;

/** A token or a tombstone of a table, as a comparison needs it. */
export interface KeyRow {
  readonly pk: string;
  readonly state: (typeof STATES)[number];
  /** Increases with each write of the token. */
  readonly version: number;
  /** Differs after each write that a caller can notice; others only encrypt the token again. */
  readonly stamp: string;
  /** In ms since the epoch; `null` if it does not expire. */
  readonly expiresAt: number | null;
}

const line = z.tuple([z.string(), z.enum(STATES), z.number(), z.string(), z.number().nullable()]);

/** Files that the rows are spread over: one of them at a time has to fit into memory. */
const FILES = 256;
const BUFFERED_CHARACTERS = 65_536;

/** Rows on disk, spread by their key, so that two tables of any size can be compared. */
export interface KeyFiles {
  add(row: KeyRow): void;
  /** Writes what is buffered. */
  end(): void;
}

const fileOf = (folder: string, file: number) => join(folder, String(file));

/** Creates the files, without those of an interrupted run. */
export function createKeyFiles(folder: string): KeyFiles {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const buffers = Array.from({ length: FILES }, () => '');
  const flush = (file: number) => {
    if (buffers[file] === '') return;
    appendFileSync(fileOf(folder, file), buffers[file] ?? '', { mode: 0o600 });
    buffers[file] = '';
  };
  return {
    add({ pk, state, version, stamp, expiresAt }) {
      const file = crc32(pk) % FILES;
      buffers[file] = `${buffers[file] ?? ''}${JSON.stringify([pk, state, version, stamp, expiresAt])}\n`;
      if ((buffers[file] ?? '').length > BUFFERED_CHARACTERS) flush(file);
    },
    end() {
      for (let file = 0; file < FILES; file += 1) flush(file);
    },
  };
}

function rowsIn(folder: string, file: number): ReadonlyMap<string, KeyRow> {
  const path = fileOf(folder, file);
  if (!existsSync(path)) return new Map();
  const rows = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return new Map(
    rows.map((text) => {
      const [pk, state, version, stamp, expiresAt] = line.parse(JSON.parse(text));
      return [pk, { pk, state, version, stamp, expiresAt }];
    }),
  );
}

/** Yields the rows that each key has in two folders. Reads one file after the other. */
export function* pairedRows(
  first: string,
  second: string,
): Generator<{ readonly pk: string; readonly then?: KeyRow | undefined; readonly now?: KeyRow | undefined }> {
  for (let file = 0; file < FILES; file += 1) {
    const then = rowsIn(first, file);
    const now = rowsIn(second, file);
    for (const [pk, row] of then) yield { pk, then: row, now: now.get(pk) };
    for (const [pk, row] of now) if (!then.has(pk)) yield { pk, now: row };
  }
}
