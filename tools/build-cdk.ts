// `npm run build -- cdk`: builds the package `@cloakroom/cdk` into `packages/cdk/dist` and packs it
// into `packages/cdk/cloakroom-cdk-<version>.tgz`.
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { assetFolder } from '../lib/asset-folder.ts';
import { ASSET_PARTS, type AssetPart } from '../lib/asset-parts.ts';
import { buildAssets } from './build-assets.ts';
import { checkProps } from './build-props.ts';
import { writeDeclarations } from './publishing/declarations.ts';
import { packPackage } from './publishing/pack-package.ts';
import { writePackageTexts } from './publishing/package-texts.ts';
import { readManifest } from './publishing/published-packages.ts';
import { filesOf, noticesOf, noticesText } from './publishing/third-party.ts';

const root = join(import.meta.dirname, '..');
const cdk = join(root, 'packages/cdk');
const source = join(cdk, 'src');

/** The package has the assets beside its code, and compares them with no sources. */
const builtAssets: Plugin = {
  name: 'built-assets',
  setup(building) {
    building.onResolve({ filter: /\/asset-folder\.ts$/ }, () => ({ path: join(source, 'asset-folder.ts') }));
  },
};

/** The ranges of versions that the package works with. */
const { engines, peerDependencies } = readManifest(cdk) as unknown as Readonly<
  Record<'engines' | 'peerDependencies', Readonly<Record<string, string>>>
>;
const oldest = (range: string) => range.replace(/^\D+/, '');

/** An older Node or CDK would fail at one of the functions that it lacks. */
const VERSION_CHECKS = `for (const [name, oldest, installed] of [
  ['Node.js', '${oldest(engines.node ?? '')}', process.versions.node],
  ['aws-cdk-lib', '${oldest(peerDependencies['aws-cdk-lib'] ?? '')}', require('aws-cdk-lib/package.json').version],
]) {
  const [major, minor = 0] = oldest.split('.').map(Number);
  const [ownMajor, ownMinor] = installed.split('.').map(Number);
  if (ownMajor < major || (ownMajor === major && ownMinor < minor))
    throw new Error('@cloakroom/cdk needs ' + name + ' ' + oldest + ' or later, and this is ' + installed);
}`;

const OPTIONS = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  mainFields: ['module', 'main'],
  external: ['aws-cdk-lib', 'aws-cdk-lib/*', 'constructs'],
  define: { 'import.meta.dirname': '__dirname' },
  legalComments: 'none',
  metafile: true,
  plugins: [builtAssets],
  banner: { js: VERSION_CHECKS },
} as const satisfies BuildOptions;

const PROGRAMS = { index: 'index.ts', app: 'app.ts' };

/** One build is CommonJS, and ES modules import it: an app that has both has one class. */
const WRAPPER = `import cdk from './index.cjs';
export const { Cloakroom } = cdk;
`;

/** The SHA-256 of every file below a folder, as \`sha256sum\` prints them. */
function checksumsBelow(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted();
  const sumOf = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex');
  return files.map((file) => `${sumOf(file)}  ${file}\n`).join('');
}

/**
 * Builds the package into `folder`, which then contains everything that `npm pack` needs.
 * `packages/cdk/` itself is such a folder.
 */
export async function buildCdk(folder: string): Promise<void> {
  await checkProps();
  await buildAssets(undefined, []);
  const dist = join(folder, 'dist');
  rmSync(dist, { recursive: true, force: true });
  const assets = join(dist, 'assets');
  for (const part of Object.keys(ASSET_PARTS) as AssetPart[])
    cpSync(assetFolder(part), join(assets, part), { recursive: true });
  writeFileSync(join(assets, 'SHA256SUMS'), checksumsBelow(assets));
  const { metafile } = await build({
    ...OPTIONS,
    entryPoints: Object.fromEntries(
      Object.entries(PROGRAMS).map(([name, file]) => [name, join(source, file)]),
    ),
    outdir: dist,
    outExtension: { '.js': '.cjs' },
  });
  chmodSync(join(dist, 'app.cjs'), 0o755);
  // The functions and pages contain more packages than the stacks.
  const notices = [
    noticesText(noticesOf(filesOf(metafile))),
    readFileSync(join(root, 'THIRD-PARTY-NOTICES.md')),
  ];
  writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.md'), notices.join('\n'));
  writeFileSync(join(dist, 'index.js'), WRAPPER);
  mkdirSync(join(dist, 'types'), { recursive: true });
  writeDeclarations(cdk, join(dist, 'types'), { isStated: true });
  writePackageTexts(cdk, folder);
}

if (process.argv[1] === import.meta.filename) {
  await buildCdk(cdk);
  console.log(packPackage(cdk, cdk));
}
