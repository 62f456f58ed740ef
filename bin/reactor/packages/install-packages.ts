import { spawn } from 'node:child_process';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { errorCode } from '../../../packages/local-aws/src/error-code.ts';
import { madeOnce } from '../../../src/core/shared/made-once.ts';
import { BundleError } from '../bundle-error.ts';
import type { Surroundings } from '../../command-line/surroundings.ts';
import type { PrunedLock } from './prune-lock.ts';

/** Options come first for npm, so no `.npmrc` changes what these decide. */
const ARGUMENTS = [
  'ci',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--prefer-offline',
  '--omit=dev',
  '--include=optional',
  '--include=peer',
  '--install-strategy=hoisted',
  '--no-bin-links',
  '--no-dry-run',
  '--no-global',
  '--no-workspaces',
  '--no-update-notifier',
  '--loglevel=silent',
  '--json',
];

/** npm gives these to programs that it runs. They would lead it to another project. */
const OF_ANOTHER_RUN =
  /^(?:npm_(?:package|lifecycle)_|npm_config_(?:workspace|include_workspace|local_prefix))|^INIT_CWD$/i;

const failure = madeOnce(() =>
  z.object({ error: z.object({ code: z.optional(z.string()), summary: z.optional(z.string()) }) }),
);

/** Explains the codes of npm whose message does not say what helps. */
const REMEDIES: Readonly<Record<string, string>> = {
  EINTEGRITY: 'A package is not the one of package-lock.json: its hash differs',
  ENOTCACHED: 'npm is offline, and its cache lacks a package',
  EUSAGE: 'package-lock.json and package.json do not agree. Run: npm install',
};

/** One line of a message, without what may be a credential. */
function shown(summary: string): string {
  const [line = ''] = summary.trim().split('\n');
  return line
    .replaceAll(/(https?:\/\/)[^\s/@]*@/gi, '$1')
    .replaceAll(/(https?:\/\/[^\s?#]*)[?#]\S*/gi, '$1')
    .slice(0, 300);
}

function messageOf(output: string): string {
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch {
    return 'npm ci failed, and does not say why. Try it in the folder of package.json';
  }
  const parsed = failure().safeParse(value);
  const { code = '', summary = '' } = parsed.data?.error ?? {};
  const remedy = Object.hasOwn(REMEDIES, code) ? REMEDIES[code] : undefined;
  const line = shown(summary);
  const text = remedy === undefined ? line : code === 'EUSAGE' ? remedy : `${remedy} (${line})`;
  return `npm ci failed${code === '' ? '' : ` with ${code}`}: ${text}`;
}

/** Runs npm, and resolves with its exit code and output. */
const runNpm = (folder: string, environment: Surroundings['environment']) =>
  new Promise<{ readonly code: number | null; readonly output: string }>((resolve, reject) => {
    const env = Object.fromEntries(
      Object.entries(environment).filter(([name]) => !OF_ANOTHER_RUN.test(name)),
    );
    const npm = spawn('npm', ARGUMENTS, { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    npm.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    npm.on('error', reject).on('close', (code) => {
      resolve({ code, output });
    });
  });

/**
 * Installs the packages of a lock into an empty folder by npm, which compares the hash of each and
 * runs no script. Registries and their keys are those of the project's `.npmrc`. Rejects with
 * {@link BundleError}.
 */
export async function installPackages(
  folder: string,
  { manifest, lock }: Pick<PrunedLock, 'manifest' | 'lock'>,
  options: { readonly project: string | undefined; readonly environment: Surroundings['environment'] },
): Promise<void> {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...manifest }));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  const npmrc = options.project === undefined ? undefined : join(options.project, '.npmrc');
  // A copy could stay behind with its keys if this process is killed.
  if (npmrc !== undefined && existsSync(npmrc)) symlinkSync(npmrc, join(folder, '.npmrc'));
  const { code, output } = await runNpm(folder, options.environment).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new BundleError('a bundle needs npm, which is not installed', { cause: error });
  });
  if (code !== 0) throw new BundleError(messageOf(output));
}
