import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { folderOfSources } from '../../lib/asset-folder.ts';
import type { Image } from '../../src/core/reactors/layer.ts';
import type { ReactorPlatform } from '../../lib/reactor-node.ts';
import { reactorLayer, type Compatibility } from '../../lib/reactor-layer.ts';

const ROOT = join(import.meta.dirname, '../..');
const LAYERS = join(ROOT, '.cache/layers');

export const THIS_MACHINE = process.arch === 'arm64' ? 'arm64' : 'x86_64';

/** The layer as it ships: built and placed once for all tests, as long as its sources stay. */
export function layerFolder(
  image: Image = 'node16',
  platform: ReactorPlatform = THIS_MACHINE,
  compatibility: Compatibility = 'strict',
): string {
  if (!existsSync(folderOfSources('reactor-layer')))
    execFileSync(process.execPath, ['tools/build-assets.ts', 'reactor-layer', '--node', platform], {
      cwd: ROOT,
    });
  const layer = reactorLayer(image, platform, compatibility);
  const folder = join(LAYERS, layer.hash);
  if (existsSync(folder)) return folder;
  mkdirSync(LAYERS, { recursive: true });
  const work = mkdtempSync(join(LAYERS, 'unfinished-'));
  layer.place(work);
  try {
    renameSync(work, folder);
  } catch {
    // The test of another process was faster.
    rmSync(work, { recursive: true });
  }
  return folder;
}
