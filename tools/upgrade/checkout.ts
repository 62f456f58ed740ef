import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The source of a commit, ready to start. */
export interface Checkout {
  readonly folder: string;
  readonly remove: () => void;
}

const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();

/** Whether a name is that of a commit, or of the working tree, and no option of git. */
export function isCommit(name: string): boolean {
  if (name === '.') return true;
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  return spawnSync('git', args, { stdio: 'ignore' }).status === 0;
}

/** Packages of the same lock file are the ones that are installed here. */
function install(folder: string, root: string): void {
  const lock = (where: string) => readFileSync(join(where, 'package-lock.json'), 'utf8');
  if (lock(folder) === lock(root)) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  else execFileSync('npm', ['ci', '--loglevel=error'], { cwd: folder, env: { ...process.env, CI: 'true' } });
}

/** Checks a commit out into a temporary folder; `.` is the working tree. */
export function checkOut(commit: string): Checkout {
  const root = git('rev-parse', '--show-toplevel');
  if (commit === '.') return { folder: root, remove: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-commit-'));
  const remove = () => {
    // Git may not know the folder yet.
    spawnSync('git', ['worktree', 'remove', '--force', folder], { stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    git('worktree', 'add', '--quiet', '--detach', '--force', folder, commit);
    install(folder, root);
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
