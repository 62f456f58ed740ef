// `npm run build -- sdk`: builds the package `@cloakroom/sdk` into `packages/sdk/dist` and packs it
// into `packages/sdk/cloakroom-sdk-<version>.tgz`.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { writeDeclarations } from './publishing/declarations.ts';
import { forBrowsers } from './publishing/for-browsers.ts';
import { packPackage } from './publishing/pack-package.ts';
import { writePackageTexts } from './publishing/package-texts.ts';

const root = join(import.meta.dirname, '..');
const sdk = join(root, 'packages/sdk');
const source = join(sdk, 'src');
const ENTRY = join(source, 'index.ts');

const NODE = { platform: 'node', target: 'node16' } as const;
const BROWSER = { platform: 'browser', target: 'es2020' } as const;

/** Every file of the package's code: what `exports` in packages/sdk/package.json names. */
const BUILDS: readonly (BuildOptions & { readonly outfile: string })[] = [
  { outfile: 'node.js', format: 'esm', ...NODE },
  // Reactors load this too: `require` alone loads Node's modules.
  { outfile: 'node.cjs', format: 'cjs', ...NODE, supported: { 'dynamic-import': false } },
  { outfile: 'browser.js', format: 'esm', ...BROWSER },
  { outfile: 'browser.cjs', format: 'cjs', ...BROWSER },
  { outfile: 'browser.min.js', format: 'esm', ...BROWSER, minify: true },
];

/**
 * Builds the package into `folder`, which then contains everything that `npm pack` needs.
 * `packages/sdk/` itself is such a folder.
 */
export async function buildSdk(folder: string): Promise<void> {
  const dist = join(folder, 'dist');
  rmSync(dist, { recursive: true, force: true });
  await Promise.all(
    BUILDS.map(({ outfile, ...options }) =>
      build({
        entryPoints: [ENTRY],
        bundle: true,
        legalComments: 'none',
        plugins: options.platform === 'browser' ? [forBrowsers] : [],
        outfile: join(dist, outfile),
        ...options,
      }),
    ),
  );
  writeDeclarations(sdk, join(dist, 'types'));
  writePackageTexts(sdk, folder);
  // Its data is in src/core/tokens/types/card-ranges.ts.
  cpSync(join(root, 'node_modules/credit-card-type/LICENSE'), join(dist, 'LICENSE.credit-card-type'));
}

if (process.argv[1] === import.meta.filename) {
  await buildSdk(sdk);
  console.log(packPackage(sdk, sdk));
}
