import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { addFiles, addPart } from '../packages/local-aws/src/assembly/files-key.ts';
import { ASSET_PARTS, COMMON_INPUTS, type AssetPart } from './asset-parts.ts';

const ROOT = join(import.meta.dirname, '..');

/** Increment it when the layout of a part changes. */
const LAYOUT = '1';

/** The folder of a part that is built of the sources as they are now; it may not exist yet. */
export function folderOfSources(part: AssetPart): string {
  const hash = createHash('sha256');
  addPart(hash, LAYOUT);
  addFiles(hash, ROOT, [...COMMON_INPUTS, ...ASSET_PARTS[part]]);
  return join(ROOT, '.cache', 'assets', part, hash.digest('hex'));
}

/** Says how to get the Node of the reactors, which is in a package. */
export const howToGet = (_packageName: string): string => 'run npm run build -- assets';

/** The parts that this process has found: a synthesis asks for each several times. */
const found = new Map<AssetPart, string>();

/**
 * The folder with the built files of a part. In the repository they must be those of the sources
 * (docs/decisions/0076-synthesize-what-was-built.md); a package has its own version of this module.
 */
export function assetFolder(part: AssetPart): string {
  const folder = found.get(part) ?? folderOfSources(part);
  if (!existsSync(folder))
    throw new Error(`the assets (${part}) are not those of the sources: run npm run build -- assets`);
  found.set(part, folder);
  return folder;
}
