import { join } from 'node:path';
import type { AssetPart } from '../../../../lib/asset-parts.ts';
import { DIST } from './package-folder.ts';

/** Takes the place of lib/asset-folder.ts: the package has what was built, and no sources. */
export const assetFolder = (part: AssetPart): string => join(DIST, 'assets', part);

export const howToGet = (packageName: string): string =>
  `install ${packageName} beside @cloakroom/cli (npx -p @cloakroom/cli -p ${packageName} cloakroom)`;
