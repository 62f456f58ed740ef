import { lstatSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { createDirectory } from '../../../local-aws/src/data-lock.ts';
import { errorMessage } from '../../../local-aws/src/error-code.ts';

/** The bits of a mode by which others than the owner may write. */
const BY_OTHERS = 0o022;

/** An empty HOME is no folder. */
const homeFolder = (): string => homedir() || userInfo().homedir;

/**
 * A folder of this person alone, for what a start runs: code of the folder that it is called in may
 * be anybody's. Throws if another person owns the folder or may write to it.
 */
export function privateFolder(environment: NodeJS.ProcessEnv = process.env, home = homeFolder): string {
  const { XDG_CACHE_HOME: cache = '' } = environment;
  const folder = join(cache === '' ? join(home(), '.cache') : cache, 'cloakroom');
  try {
    createDirectory(folder);
  } catch (error) {
    throw new Error(`${errorMessage(error)}: name another folder by XDG_CACHE_HOME`, { cause: error });
  }
  const found = lstatSync(folder);
  const isOwn = process.getuid === undefined || found.uid === process.getuid();
  if (!found.isDirectory() || !isOwn || (found.mode & BY_OTHERS) !== 0)
    throw new Error(`${folder} must be a folder of yours that no one else may write to`);
  return folder;
}
