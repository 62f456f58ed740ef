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
 * Removes what the working folder holds up to the first folder that holds something itself, which
 * it names; `null` once there was nothing.
 */
function removeHere(): string | null {
  const folder = opendirSync('.');
  try {
    let entry = folder.readSync();
    if (entry === null) return null;
    for (; entry !== null; entry = folder.readSync()) {
      if (!entry.isDirectory()) unlinkSync(entry.name);
      else if (!removeFolder(entry.name)) return entry.name;
    }
    // What is removed while it is listed may hide something else.
    return '.';
  } finally {
    folder.closeSync();
  }
}

/**
 * Removes everything in `folder`, which nobody else is writing to, and never follows a link. By
 * going into folders: reactor code can nest them deeper than the longest path that the kernel
 * takes. Makes no names, which a full disk may have no room for, and holds no list of them.
 */
export function emptyFolder(folder: string): void {
  const before = process.cwd();
  chmodSync(folder, 0o700);
  process.chdir(folder);
  for (let depth = 0; depth >= 0;) {
    const inner = removeHere();
    if (inner === '.') continue;
    if (inner !== null) chmodSync(inner, 0o700);
    // Nothing left here: its parent removes it.
    if (inner !== null || depth > 0) process.chdir(inner ?? '..');
    depth += inner === null ? -1 : 1;
  }
  process.chdir(before);
}
