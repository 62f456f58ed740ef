import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder of a layer whose bootstrap runs `index.cjs` of the function's code on this Node. */
export function aLayer(): string {
  const directory = mkdtempSync(join(tmpdir(), 'layer-'));
  const loop = join(import.meta.dirname, 'fixture-loop.ts');
  writeFileSync(join(directory, 'bootstrap'), `#!/bin/sh\nexec "${process.execPath}" "${loop}"\n`);
  chmodSync(join(directory, 'bootstrap'), 0o755);
  return directory;
}
