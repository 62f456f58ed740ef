import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Source, type ISource } from 'aws-cdk-lib/aws-s3-deployment';
import type { Settings } from './settings.ts';

const ROOT = join(import.meta.dirname, '..');

/** What the page reads when it starts. Everyone who reaches the page can read it too. */
const configOf = ({ domainName, headerPrefixes: [header_prefix] }: Settings) => ({
  api_url: `https://${domainName}`,
  header_prefix,
  local: false,
});

/**
 * The files of the console, built when the stack is. The CDK skips that where the context
 * `aws:cdk:bundling-stacks` excludes the stack, as tests of templates do.
 */
export function consoleFiles(settings: Settings): ISource {
  return Source.asset(join(ROOT, 'console'), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // The CDK requires it and does not use it: the command runs here.
      image: DockerImage.fromRegistry('none'),
      local: {
        tryBundle(output) {
          const command = [join(ROOT, 'tools/build-console.ts'), output];
          execFileSync(process.execPath, command, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
          writeFileSync(join(output, 'config.json'), JSON.stringify(configOf(settings)));
          return true;
        },
      },
    },
  });
}
