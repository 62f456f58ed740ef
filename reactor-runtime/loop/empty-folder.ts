import { chmodSync, opendirSync, rmdirSync, unlinkSync } from 'node:fs';

const isNotEmpty = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOTEMPTY';

function removeFolder(name: string): boolean {
  try {
    rmdirSync(name);
    return true;
  } catch (error) {
    if (isNotEmpty(error)) return false;
    throw error;
  }
}

/**
 * Deletes the content of the working folder up to the first folder that is not empty, and returns
 * its name; `null` once the working folder is empty.
 */
function removeHere(): string | null {
  // Creates no names, for which a full disk may have no room, and collects no list of names.
  const folder = opendirSync('.');
  try {
    let entry = folder.readSync();
    if (entry === null) return null;
    for (; entry !== null; entry = folder.readSync()) {
      if (!entry.isDirectory()) unlinkSync(entry.name);
      else if (!removeFolder(entry.name)) return entry.name;
    }
    // Deleting during the listing may hide other entries.
    return '.';
  } finally {
    folder.closeSync();
  }
}

/**
 * Deletes everything in `folder`, which no other process writes to, and never follows a link.
 * Enters folders, because reactor code can nest them deeper than the longest path of the kernel.
 */
export function emptyFolder(folder: string): void {
  const before = process.cwd();
  chmodSync(folder, 0o700);
  process.chdir(folder);
  for (let depth = 0; depth >= 0;) {
    const inner = removeHere();
    if (inner === '.') continue;
    if (inner !== null) chmodSync(inner, 0o700);
    // The folder is empty: its parent deletes it.
    if (inner !== null || depth > 0) process.chdir(inner ?? '..');
    depth += inner === null ? -1 : 1;
  }
  process.chdir(before);
}
