import { chmodSync, lstatSync, readdirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';

const SLASH = Buffer.from('/');

/** Random, so that no name that is there already can be it. */
const unusedName = (): Buffer =>
  Buffer.from(`.${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`);

const inside = (folder: Buffer, name: Buffer): Buffer => Buffer.concat([folder, SLASH, name]);

/**
 * Removes everything in `folder`, which nobody else is writing to, and never follows a link. Folders are moved to the top before they are emptied: reactor
 * code can nest them deeper than the longest path that the kernel takes. Names are bytes: they need not be text.
 */
export function emptyFolder(folder: string): void {
  const top = Buffer.from(folder);
  for (let names = readdirSync(top, 'buffer'); names.length > 0; names = readdirSync(top, 'buffer')) {
    for (const name of names) {
      const path = inside(top, name);
      if (!lstatSync(path).isDirectory()) {
        unlinkSync(path);
        continue;
      }
      chmodSync(path, 0o700);
      for (const inner of readdirSync(path, 'buffer')) {
        const innerPath = inside(path, inner);
        if (lstatSync(innerPath).isDirectory()) {
          // Moving a folder writes to it (its `..`).
          chmodSync(innerPath, 0o700);
          renameSync(innerPath, inside(top, unusedName()));
        } else {
          unlinkSync(innerPath);
        }
      }
      rmdirSync(path);
    }
  }
}
