import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { errorCode } from '../../packages/local-aws/src/error-code.ts';
import { UsageError } from '../command-line/failures.ts';

/** A new file for secrets that only its owner can read. */
export interface SecretsFile {
  /** Writes the secrets and closes the file. If that fails, removes the file and throws. */
  write(text: string): void;
  /** Closes the file and removes it. */
  discard(): void;
}

const INTERRUPTIONS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Creates the file before the service creates anything, since secrets that cannot be written are
 * lost. Throws {@link UsageError} if it exists or cannot be created.
 */
export function createSecretsFile(file: string, option = 'secrets-to'): SecretsFile {
  let descriptor: number;
  try {
    // 'wx' follows no link and opens no existing file (open(2), O_EXCL).
    descriptor = openSync(file, 'wx', 0o600);
  } catch (error) {
    const code = errorCode(error);
    throw new UsageError(
      code === 'EEXIST'
        ? `--${option} ${file}: the file exists; nothing was done`
        : `--${option} ${file}: the file cannot be created (${String(code)}); nothing was done`,
    );
  }
  const close = () => {
    for (const signal of INTERRUPTIONS) process.off(signal, interrupt);
    closeSync(descriptor);
  };
  const discard = () => {
    close();
    rmSync(file, { force: true });
  };
  const interrupt = (signal: NodeJS.Signals) => {
    discard();
    // Without the listener the signal ends the process with the exit status that shells expect.
    process.kill(process.pid, signal);
  };
  // A file left by an interrupted run would block the next run.
  for (const signal of INTERRUPTIONS) process.on(signal, interrupt);
  return {
    write(text) {
      try {
        writeFileSync(descriptor, text);
        fsyncSync(descriptor);
      } catch (error) {
        discard();
        throw error;
      }
      close();
    },
    discard,
  };
}
