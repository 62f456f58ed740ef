import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import { buildSite, runBuild } from './built-site.ts';
import type { Settings } from './settings.ts';

/** The page reads this when it starts. Everyone who reaches the page can read it too. */
const configOf = ({ domainName, headerPrefixes: [header_prefix], docsUrl }: Settings) => ({
  api_url: `https://${domainName}`,
  header_prefix,
  local: false,
  ...(docsUrl !== '' && { docs_url: docsUrl }),
});

/** The folder with the files of the console, built when its stack is. */
export function consoleFiles(stack: Stack, settings: Settings): string {
  const { folder } = buildSite(stack, (output) => {
    runBuild('tools/build-console.ts', [output]);
    writeFileSync(join(output, 'config.json'), JSON.stringify(configOf(settings)));
  });
  return folder;
}
