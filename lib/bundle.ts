import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync, type BuildOptions } from 'esbuild';

const root = join(import.meta.dirname, '..');

/** CommonJS packages inside an ES module bundle look for `require`. */
const REQUIRE =
  "import { createRequire as cloakroomRequire } from 'node:module';const require = cloakroomRequire(import.meta.url);";

/** How every function is bundled. */
export const BUNDLE_OPTIONS = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  // Error names reach the log; minified ones would say nothing.
  keepNames: true,
  legalComments: 'none',
  banner: { js: REQUIRE },
} satisfies BuildOptions;

/** {@link bundleFunction} of any program; the path is relative to the repository's root. */
export function bundleProgram(entryPoint: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-bundle-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  buildSync({
    ...BUNDLE_OPTIONS,
    entryPoints: [entryPoint],
    outfile: join(folder, 'index.mjs'),
  });
  return folder;
}

/**
 * Bundles `functions/<name>/index.ts` into a folder that holds `index.mjs` alone: what Lambda loads is what is measured and
 * audited. The caller copies it (a CDK asset does); it is removed when the process ends.
 */
export function bundleFunction(name: string): string {
  return bundleProgram(`functions/${name}/index.ts`);
}
