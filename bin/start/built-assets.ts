import { existsSync } from 'node:fs';
import { assetFolder, folderOfSources } from '../../lib/asset-folder.ts';
import type { AssetPart } from '../../lib/asset-parts.ts';
import type { ReactorPlatform } from '../../lib/reactor-node.ts';
import { createBuiltPages } from './built-pages.ts';
import { ASSETS_BUILD } from './local-app.ts';

/**
 * Returns the folder of a part. If its sources have changed since the last build, the first call
 * builds it, and fetches the Node of a platform.
 */
export function createBuiltAssets(
  part: AssetPart,
  platform: ReactorPlatform | 'none' = 'none',
): () => Promise<string> {
  const build = createBuiltPages(ASSETS_BUILD, part, '--node', platform);
  let found: string | undefined;
  return async () => {
    if (found !== undefined) return found;
    if (!existsSync(folderOfSources(part))) await build();
    found = assetFolder(part);
    return found;
  };
}
