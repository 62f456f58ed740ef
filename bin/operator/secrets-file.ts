import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { errorCode } from '../../packages/local-aws/src/error-code.ts';
import { UsageError } from './failures.ts';

/** A file for secrets that did not exist before, readable by its owner alone. */
export interface SecretsFile {
  /** Writes the secrets and closes the file. Throws what the file system says. */
  write(text: string): void;
  /** Removes the file, which has nothing in it. */
  discard(): void;
}

/**
 * Creates the file before the service creates anything: secrets that could not be written would be
 * lost. Throws {@link UsageError} if it exists or cannot be created.
 */
export function createSecretsFile(file: string): SecretsFile {
  let descriptor: number;
  try {
    // 'wx' follows no link and takes no file that is there (open(2), O_EXCL).
    descriptor = openSync(file, 'wx', 0o600);
  } catch (error) {
    const code = errorCode(error);
    throw new UsageError(
      code === 'EEXIST'
        ? `--secrets-to ${file}: the file exists; nothing was done`
        : `--secrets-to ${file}: the file cannot be created (${String(code)}); nothing was done`,
    );
  }
  return {
    write(text) {
      writeSync(descriptor, text);
      fsyncSync(descriptor);
      closeSync(descriptor);
    },
    discard() {
      closeSync(descriptor);
      rmSync(file);
    },
  };
}
