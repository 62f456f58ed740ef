import { statfsSync } from 'node:fs';
import { AwsError } from './aws-service.ts';
import { errorMessage } from './error-code.ts';

/** Turns an error of the disk into the failure that the caller of a service gets. */
export type StorageFailure = (error: unknown) => AwsError;

/** Told why the disk fails, and what follows from it. */
export type ReportStorageFailure = (reason: string, consequence: string) => void;

/** A store that was refused a write tries again after so long, in ms. */
export const STORAGE_RETRY_MS = 1_000;

/** A failure that comes so soon after another one is not reported again, in ms. */
const QUIET_MS = 60_000;

/** What ENOSPC, EDQUOT, EFBIG and SQLITE_FULL read like: LevelDB and SQLite pass on no code. */
const FULL = /no space left on device|disk quota exceeded|file too large|disk is full/i;

/** With less room SQLite fails with an I/O error, since it cannot map its memory. */
const LITTLE_BYTES = 64 * 1024;

function hasLittleRoom(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < LITTLE_BYTES;
  } catch {
    return false;
  }
}

function isFull(directory: string, error: unknown): boolean {
  const message = errorMessage(error);
  return FULL.test(message) || (message === 'disk I/O error' && hasLittleRoom(directory));
}

/** What is wrong with a data folder, in one line that names it. */
export function storageReason(directory: string, error: unknown): string {
  if (isFull(directory, error)) return `the disk of ${directory} is full`;
  const message = errorMessage(error);
  return message.includes(directory) ? message : `cannot use ${directory}: ${message}`;
}

/**
 * The failures of all stores below one folder: a row of them is reported once, however many calls
 * it meets.
 */
export function createStorageFailure(directory: string, report: ReportStorageFailure): StorageFailure {
  let lastMs = -Infinity;
  return (error) => {
    if (error instanceof AwsError) return error;
    const reason = storageReason(directory, error);
    const nowMs = performance.now();
    if (nowMs - lastMs > QUIET_MS)
      report(
        reason,
        isFull(directory, error) ? 'writes are refused until there is room' : 'calls that need it fail',
      );
    lastMs = nowMs;
    return new AwsError('ServiceUnavailable', 503, reason);
  };
}

/** For a start that does not find on disk what an earlier one left. */
export function damaged(path: string, fact: string, cause?: unknown): Error {
  return new Error(`${path} is damaged: ${fact}; restore the data folder from a copy, or use another one`, {
    cause,
  });
}
