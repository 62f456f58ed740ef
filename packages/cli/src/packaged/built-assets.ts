import type { AssetPart } from '../../../../lib/asset-parts.ts';
import { assetFolder } from './asset-folder.ts';

/** Takes the place of bin/start/built-assets.ts: everything is built. */
export const createBuiltAssets = (part: AssetPart) => (): Promise<string> =>
  Promise.resolve(assetFolder(part));
