import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** The files of the project by their paths, uncommitted ones included. */
export function allFiles(): readonly string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    .split('\0')
    .filter((path) => path !== '' && existsSync(path));
}
