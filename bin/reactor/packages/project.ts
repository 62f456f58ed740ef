import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BundleError } from '../bundle-error.ts';
import { lockSchema, manifestSchema, type Lock, type Manifest } from './lock.ts';

export interface Project {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly lock: Lock;
}

const MANIFEST = 'package.json';
const LOCK = 'package-lock.json';
const LOCK_ONLY = 'npm install --package-lock-only --ignore-scripts';

/** Locks that no bundle is made from, each with what helps. */
const OTHER_LOCKS: Readonly<Record<string, string>> = {
  'npm-shrinkwrap.json': `Rename it to ${LOCK}`,
  'pnpm-lock.yaml': `Let npm choose the versions too: ${LOCK_ONLY}`,
  'yarn.lock': `npm takes the versions of it. Run: ${LOCK_ONLY}`,
  'bun.lock': `Let npm choose the versions too: ${LOCK_ONLY}`,
  'bun.lockb': `Let npm choose the versions too: ${LOCK_ONLY}`,
};

/** Returns the folder of the nearest `package.json` of a file. */
export function projectFolder(file: string): string | undefined {
  const folder = dirname(file);
  if (existsSync(join(folder, MANIFEST))) return folder;
  return folder === file ? undefined : projectFolder(folder);
}

function jsonOf(file: string): unknown {
  try {
    // npm reads a file with a byte order mark too.
    return JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new BundleError(`${file} is not JSON`, { cause: error });
  }
}

export function manifestOf(folder: string): Manifest {
  const file = join(folder, MANIFEST);
  const parsed = manifestSchema().safeParse(jsonOf(file));
  if (parsed.success) return parsed.data;
  const member = parsed.error.issues[0]?.path.map(String).join('.') ?? '';
  throw new BundleError(`${file} is no package.json of npm: its ${member || 'value'} is another`);
}

function missingLock(folder: string): BundleError {
  const other = Object.keys(OTHER_LOCKS).find((name) => existsSync(join(folder, name)));
  const run = other === undefined ? `Run: ${LOCK_ONLY}` : String(OTHER_LOCKS[other]);
  // npm would write the lock of the workspace.
  const isInAnother = projectFolder(folder) !== undefined;
  const helps = isInAnother ? run.replace(LOCK_ONLY, `${LOCK_ONLY} --no-workspaces`) : run;
  const found =
    other === undefined ? `there is no ${LOCK} in ${folder}` : `${join(folder, other)} is no ${LOCK}`;
  return new BundleError(`${found}, which a bundle is made from. ${helps}`);
}

/** Reads the lock and its manifest. Throws {@link BundleError}. */
export function readProject(folder: string): Project {
  const file = join(folder, LOCK);
  if (!existsSync(file)) throw missingLock(folder);
  const parsed = lockSchema().safeParse(jsonOf(file));
  if (parsed.success && parsed.data.lockfileVersion >= 2)
    return { folder, manifest: manifestOf(folder), lock: parsed.data };
  const [first] = parsed.error?.issues ?? [];
  const member = first?.path.map(String).join('.') ?? '';
  const isOld = parsed.success || member === 'packages';
  throw new BundleError(
    isOld
      ? `${file} is of npm 6. Run: npm install --package-lock-only --lockfile-version 3`
      : `${file} is no lock of npm: its ${member || 'value'} is another`,
  );
}
