import type { Hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../error-code.ts';

/**
 * Lists the files of a folder and below, by their path from `root`. For a file it lists the file.
 */
function filesBelow(root: string, path: string): readonly string[] {
  try {
    return readdirSync(join(root, path), { withFileTypes: true })
      .flatMap((entry) => filesBelow(root, join(path, entry.name)))
      .toSorted();
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR' || errorCode(error) === 'ENOENT') return [path];
    throw error;
  }
}

/** A missing path, or one that is no file, has a distinct key. */
function contentOf(file: string): Buffer | undefined {
  try {
    return statSync(file).isFile() ? readFileSync(file) : undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Each part with its length, so that no two sequences of parts have the same text. */
export function addPart(hash: Hash, part: string | Buffer | undefined): void {
  const content = part === undefined ? undefined : Buffer.from(part);
  hash.update(content === undefined ? '- ' : `${String(content.length)} `).update(content ?? '');
}

/** Adds the names and contents of files, and of all files below folders. */
export function addFiles(hash: Hash, root: string, paths: readonly string[]): void {
  for (const file of paths.flatMap((path) => filesBelow(root, path))) {
    addPart(hash, file);
    addPart(hash, contentOf(join(root, file)));
  }
}
