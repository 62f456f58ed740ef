import { statfsSync } from 'node:fs';
import { AwsError } from './aws-service.ts';
import { errorMessage } from './error-code.ts';

/** Turns a disk error into the failure for the caller of a service. */
export type StorageFailure = (error: unknown) => AwsError;

/** Receives the cause of a disk failure, and its consequence. */
export type ReportStorageFailure = (reason: string, consequence: string) => void;

/** How long a store waits after a refused write before it retries, in ms. */
export const STORAGE_RETRY_MS = 1_000;

/** A failure within this time of another one is not reported again, in ms. */
const QUIET_MS = 60_000;

/** The messages of ENOSPC, EDQUOT, EFBIG and SQLITE_FULL: LevelDB and SQLite report no code. */
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

/** The problem of a data folder, in one line that names it. */
export function storageReason(directory: string, error: unknown): string {
  if (isFull(directory, error)) return `the disk of ${directory} is full`;
  const message = errorMessage(error);
  return message.includes(directory) ? message : `cannot use ${directory}: ${message}`;
}

/**
 * The failures of all stores below one folder: a series of them is reported once, however many
 * calls fail.
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

/** Disk failures of an account: one during a start ends it, a later one is reported. */
export function createStorageReports(directory: string | undefined, report: (line: string) => void) {
  let isUp = false;
  let atStart: string | undefined;
  return {
    failure: createStorageFailure(directory ?? 'the state in memory', (reason, consequence) => {
      if (isUp) report(`${reason}: ${consequence}`);
      else atStart ??= reason;
    }),
    /** The reason for which a start failed with `error`. */
    ofStart: (error: unknown) => (atStart === undefined ? error : new Error(atStart, { cause: error })),
    setUp: (value: boolean) => {
      isUp = value;
    },
  };
}

/** Thrown when a start misses a file of an earlier one. */
export function damaged(path: string, fact: string, cause?: unknown): Error {
  return new Error(`${path} is damaged: ${fact}; restore the data folder from a copy, or use another one`, {
    cause,
  });
}
