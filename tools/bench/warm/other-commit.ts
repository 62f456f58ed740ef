import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** Runs in the folder of the commit: its own bundler decides what a bundle is. */
const BUNDLER = `
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { buildSync } from 'esbuild';
// Older commits have it where the second path is.
const file = ['tools/assets/bundle.ts', 'lib/bundle.ts'].find((each) => existsSync(each));
const { BUNDLE_OPTIONS, bundleInto } = await import(resolve(file));
const [folder, entryPoint, byHand] = process.argv.slice(1);
if (byHand === undefined) bundleInto(folder, entryPoint);
else buildSync({ ...BUNDLE_OPTIONS, alias: {}, entryPoints: [entryPoint], outfile: folder + '/index.cjs' });
`;

/** Bundles programs as another commit of this repository does. */
export interface OtherCommit {
  /** Bundles a program as a function; returns the file. */
  bundle(entryPoint: string): string;
  /** Bundles a program with the unmodified SDK; returns the file. */
  bundleByHand(entryPoint: string): string;
}

/**
 * Checks a commit out into a temporary folder, with the packages of this one. Both are removed when
 * the process ends.
 */
export function otherCommit(commit: string): OtherCommit {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-commit-'));
  const sources = join(folder, 'sources');
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  const git = (...args: readonly string[]) => {
    execFileSync('git', args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  };
  // The clone registers nothing in this repository, and so leaves nothing there.
  git('clone', '--quiet', '--shared', '--no-checkout', ROOT, sources);
  git('-C', sources, 'checkout', '--quiet', '--detach', commit);
  symlinkSync(join(ROOT, 'node_modules'), join(sources, 'node_modules'));

  function bundle(entryPoint: string, ...byHand: string[]): string {
    const output = mkdtempSync(join(folder, 'bundle-'));
    const args = ['--input-type=module', '--eval', BUNDLER, output, entryPoint, ...byHand];
    execFileSync(process.execPath, args, { cwd: sources, stdio: ['ignore', 'ignore', 'inherit'] });
    return join(output, 'index.cjs');
  }

  return { bundle, bundleByHand: (entryPoint) => bundle(entryPoint, 'by hand') };
}
