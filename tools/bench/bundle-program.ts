import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { BUNDLE_OPTIONS, bundleInto } from '../assets/bundle.ts';

/** A folder that is removed when the process ends. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-bundle-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** In a smoke run, the folder of the bundles that all sections share. */
const SHARED_VARIABLE = 'BENCH_BUNDLES';

/** Makes the programs that this one starts from now on share bundles. */
export function shareBundles(): void {
  process.env[SHARED_VARIABLE] = temporaryFolder();
}

/** Bundles a program, by its path from the repository's root, as functions are bundled. */
export function bundleProgram(entryPoint: string, options: { readonly minify?: boolean } = {}): string {
  const shared = process.env[SHARED_VARIABLE];
  const folder =
    shared === undefined
      ? temporaryFolder()
      : join(shared, JSON.stringify([entryPoint, options]).replaceAll(/\W+/g, '-'));
  if (!existsSync(join(folder, 'index.cjs'))) bundleInto(folder, entryPoint, options);
  return join(folder, 'index.cjs');
}

/** The same with the unmodified SDK, which looks for credentials in all of its sources. */
export function bundleByHand(entryPoint: string, { minify }: { readonly minify: boolean }): string {
  const outfile = join(temporaryFolder(), 'index.cjs');
  const minified = { minifySyntax: minify, minifyWhitespace: minify };
  buildSync({ ...BUNDLE_OPTIONS, ...minified, alias: {}, entryPoints: [entryPoint], outfile });
  return outfile;
}
