import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { BackupAccount } from './backup-account.ts';
import type { RestoreFolder } from './restore-folder.ts';

/** All AWS calls go through the two clients and `backups`. */
export interface RestoreDeps {
  readonly dynamodb: DynamoDBClient;
  readonly lambda: LambdaClient;
  readonly backups: BackupAccount;
  readonly folder: RestoreFolder;
  /** In ms since the epoch. */
  readonly clock: () => number;
  readonly pause: (ms: number) => Promise<void>;
  /**
   * After this time in ms since the functions were stopped, running requests have ended and no
   * instance has a cached key.
   */
  readonly quietMs: number;
  /** Shows the administrator a line about the progress. */
  readonly say: (line: string) => void;
}

const POLL_MS = 10_000;

/** Waits until a condition is true. Rejects after a day: then AWS does not do it. */
export async function until({ pause }: RestoreDeps, isTrue: () => Promise<boolean>): Promise<void> {
  for (let polls = 0; polls < 8_640; polls += 1) {
    if (await isTrue()) return;
    await pause(POLL_MS);
  }
  throw new Error('AWS has not finished after a day');
}

/**
 * Retries a call that AWS refuses for a while, such as a backup of a table that was just created.
 * Other errors are rethrown.
 */
export async function whenPossible<T>(
  { pause }: RestoreDeps,
  errors: readonly string[],
  call: () => Promise<T>,
): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await call();
    } catch (error) {
      const isTemporary = error instanceof Error && errors.includes(error.name);
      if (!isTemporary || attempts >= 180) throw error;
      await pause(POLL_MS);
    }
  }
}
