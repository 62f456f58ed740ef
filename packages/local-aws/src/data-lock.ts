import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from './error-code.ts';
import { livingProcess, processIdentity } from './process-alive.ts';
import { storageReason } from './storage-failure.ts';

/** Another live process has the lock. */
export class LockedError extends Error {}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * True if the lock file did not exist and now contains `content`; a link appears with its whole
 * content or not at all.
 */
function create(lock: string, content: string): boolean {
  const own = `${lock}.${randomUUID()}`;
  writeFileSync(own, content, { mode: 0o600 });
  try {
    linkSync(own, lock);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Removes the lock of a killed process, unless another start has replaced it in the meantime. */
function removeStale(lock: string, stale: string): void {
  const aside = `${lock}.${randomUUID()}`;
  renameSync(lock, aside);
  if (read(aside) !== stale) linkSync(aside, lock);
  rmSync(aside, { force: true });
}

/** Its parent exists, but may be no place for folders, such as `/proc`. */
function createIn(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (errorCode(error) === 'EEXIST' && statSync(directory).isDirectory()) return;
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new Error(`${directory} cannot be created: ${dirname(directory)} takes no folders`, {
      cause: error,
    });
  }
}

/**
 * Does the same as `mkdir -p`, for the owner alone. Node's own recursive mkdir reports a read-only
 * parent as a missing one, and never ends below `/proc`.
 */
export function createDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) === 'EEXIST' && statSync(directory).isDirectory()) return;
    if (errorCode(error) === 'EEXIST') throw new Error(`${directory} is not a folder`, { cause: error });
    if (errorCode(error) !== 'ENOENT') throw error;
    createDirectory(dirname(directory));
    createIn(directory);
  }
}

function hold(lock: string, what: string): () => void {
  createDirectory(dirname(lock));
  const own = `${processIdentity()}\n`;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (create(lock, own))
      return () => {
        rmSync(lock, { force: true });
      };
    const content = read(lock);
    const holder = content === undefined ? undefined : livingProcess(content);
    if (holder !== undefined) throw new LockedError(`${what} is in use by process ${String(holder)}`);
    if (content !== undefined) removeStale(lock, content);
  }
  throw new LockedError(`${what} is in use by another start`);
}

/**
 * Takes a lock file and returns its release. The lock of a killed process blocks no other. Throws
 * {@link LockedError} with the owner, or an Error with the reason why the folder cannot be used.
 */
export function holdLock(lock: string, what: string): () => void {
  try {
    return hold(lock, what);
  } catch (error) {
    throw errorCode(error) === undefined
      ? error
      : new Error(storageReason(dirname(lock), error), { cause: error });
  }
}

/** Makes this process the only user of a data folder. Otherwise like {@link holdLock}. */
export function lockDataDirectory(directory: string): () => void {
  return holdLock(join(directory, 'lock'), directory);
}
