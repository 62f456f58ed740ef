import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync, type BuildOptions } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');

/** How every function is bundled. */
export const BUNDLE_OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  // Node builds an ES module's view of `node:http` by reading all of it, which loads its whole
  // `fetch`.
  format: 'cjs',
  target: 'node24',
  mainFields: ['module', 'main'],
  minifySyntax: true,
  minifyWhitespace: true,
  // Names of errors and functions reach the log, where minified ones would say nothing; keeping
  // them beside costs a call a closure.
  minifyIdentifiers: false,
  legalComments: 'none',
  alias: { '@aws-sdk/credential-provider-node': './src/adapters/aws/environment-credentials.ts' },
} satisfies BuildOptions;

/**
 * {@link bundleFunction} of any program, by its path from the repository's root; a profile is
 * easier to read if nothing is minified.
 */
export function bundleProgram(entryPoint: string, { minify = true } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-bundle-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  buildSync({
    ...BUNDLE_OPTIONS,
    entryPoints: [entryPoint],
    outfile: join(folder, 'index.cjs'),
    minifySyntax: minify,
    minifyWhitespace: minify,
  });
  return folder;
}

/**
 * Bundles `functions/<name>/index.ts` into a folder that holds `index.cjs` alone: what Lambda loads
 * is what is measured and audited. The caller copies it (a CDK asset does); it is removed when the
 * process ends.
 */
export function bundleFunction(name: string): string {
  return bundleProgram(`functions/${name}/index.ts`);
}
