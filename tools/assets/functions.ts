import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { bundleInto } from './bundle.ts';

/** Bundles every function into a folder of its name. Returns what was built of what. */
export function buildFunctions(folder: string): readonly Metafile[] {
  const names = readdirSync(join(import.meta.dirname, '../../functions'));
  return names.map((name) => bundleInto(join(folder, name), `functions/${name}/index.ts`));
}
