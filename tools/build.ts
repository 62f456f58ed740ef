// `npm run build -- WHAT [options]`: everything that is generated from the source, except by `cdk
// synth`.
import { fork } from 'node:child_process';
import { join } from 'node:path';

const PROGRAMS: Readonly<Record<string, readonly [file: string, does: string]>> = {
  assets: ['build-assets.ts', 'what a synthesis reads: functions, layer of the reactors, pages'],
  sdk: ['build-sdk.ts', 'the package @cloakroom/sdk, as a tarball in packages/sdk'],
  testing: ['build-testing.ts', 'the package @cloakroom/testing, as a tarball in packages/testing'],
  fields: ['build-fields.ts', 'the package @cloakroom/fields, as a tarball in packages/fields'],
  openapi: ['build-openapi.ts', 'docs/openapi.json, and the types of the SDK'],
  props: ['build-props.ts', 'packages/cdk/src/props.ts, the settings as props of the construct'],
  cdk: ['build-cdk.ts', 'the package @cloakroom/cdk, as a tarball in packages/cdk'],
  cli: ['build-cli.ts', 'the package @cloakroom/cli, as a tarball in packages/cli'],
  'config-schema': ['build-config-schema.ts', 'packages/cli/schema.json, the JSON schema of cloakroom.yaml'],
  'import-samples': ['build-import-samples.ts', 'the sample files of examples/import'],
  notices: ['build-notices.ts', 'THIRD-PARTY-NOTICES.md'],
  'card-ranges': ['build-card-ranges.ts', 'src/core/tokens/types/card-ranges.ts, the brands of card numbers'],
  docs: ['build-docs.ts', 'the documentation as a site of static files, into a folder'],
  diagrams: [
    'build-diagrams.ts',
    'the diagrams of the documents as SVG for the site; --all draws them again',
  ],
  console: ['build-console.ts', 'the console as static files, into a folder'],
  'console-pictures': ['console-pictures.ts', 'the pictures of docs/console.md, from a running npm start'],
  costs: ['costs.ts', 'the costs in docs/deploy.md; --write writes them'],
  'release-templates': ['release-templates.ts', 'test/lib/last-release.json, the templates of a release'],
  version: ['set-version.ts', 'the next version, in every package, the lockfile and the changelogs'],
  sam: ['sam-template.ts', 'the running local account as a template for sam local; --help prints more'],
};

const [what = '', ...args] = process.argv.slice(2);
const [file] = (Object.hasOwn(PROGRAMS, what) ? PROGRAMS[what] : undefined) ?? [];
if (file === undefined) {
  const lines = Object.entries(PROGRAMS).map(([name, [, does]]) => `  ${name.padEnd(18)}${does}`);
  console.error(`npm run build -- WHAT [options]\n\n${lines.join('\n')}`);
  process.exitCode = 2;
} else {
  const child = fork(join(import.meta.dirname, file), args);
  child.on('exit', (code) => (process.exitCode = code ?? 1));
  // Ctrl-C reaches the child too, which handles it; a SIGTERM reaches only this process.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
}
