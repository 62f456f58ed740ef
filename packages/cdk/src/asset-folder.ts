import { join } from 'node:path';
import type { AssetPart } from '../../../lib/asset-parts.ts';

/** Takes the place of lib/asset-folder.ts: the package has what was built, and no sources. */
export const assetFolder = (part: AssetPart): string => join(import.meta.dirname, 'assets', part);

export const howToGet = (packageName: string): string => `run npm install ${packageName}`;
