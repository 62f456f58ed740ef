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
 * Bundles a program, by its path from the repository's root, into `index.cjs` of a folder; a
 * profile is easier to read if nothing is minified.
 */
export function bundleInto(folder: string, entryPoint: string, { minify = true } = {}): void {
  buildSync({
    ...BUNDLE_OPTIONS,
    entryPoints: [entryPoint],
    outfile: join(folder, 'index.cjs'),
    minifySyntax: minify,
    minifyWhitespace: minify,
  });
}
