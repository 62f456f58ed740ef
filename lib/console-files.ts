import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import { assetFolder } from './asset-folder.ts';
import type { Settings } from './settings.ts';
import { siteFolder } from './site-folder.ts';

/** The page reads this when it starts. Everyone who reaches the page can read it too. */
const configOf = ({ domainName, headerPrefixes: [header_prefix], docsUrl }: Settings) => ({
  api_url: `https://${domainName}`,
  header_prefix,
  local: false,
  ...(docsUrl !== '' && { docs_url: docsUrl }),
});

/** Writes the files of the console into a folder. They differ by `config.json` alone. */
export function consoleFiles(stack: Stack, settings: Settings): string {
  const { folder } = siteFolder(stack, (output) => {
    cpSync(assetFolder('console'), output, { recursive: true });
    writeFileSync(join(output, 'config.json'), JSON.stringify(configOf(settings)));
  });
  return folder;
}
