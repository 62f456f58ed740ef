import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createDirectory } from '../../packages/local-aws/src/data-lock.ts';
import { errorCode } from '../../packages/local-aws/src/error-code.ts';

/**
 * Creates `.local` of the current folder, for keys and logs, which Git ignores. Throws an Error
 * that says why it cannot be created.
 */
export function localFolder(): string {
  const folder = resolve('.local');
  createDirectory(folder);
  try {
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  return folder;
}
