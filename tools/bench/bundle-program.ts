import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleInto } from '../../lib/bundle.ts';

/**
 * Bundles a program, by its path from the repository's root, as functions are bundled. The file is
 * removed when the process ends.
 */
export function bundleProgram(entryPoint: string, options: { readonly minify?: boolean } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-bundle-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  bundleInto(folder, entryPoint, options);
  return join(folder, 'index.cjs');
}
