// `npm run build -- fields`: builds the package `@cloakroom/fields` into `packages/fields/dist` and
// packs it into `packages/fields/cloakroom-fields-<version>.tgz`. It lacks the pages of its frames:
// each deployment serves those that `build-fields-site.ts` builds.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Format, type Plugin } from 'esbuild';
import { writeDeclarations } from './publishing/declarations.ts';
import { packPackage } from './publishing/pack-package.ts';
import { writePackageTexts } from './publishing/package-texts.ts';

const root = join(import.meta.dirname, '..');
const fields = join(root, 'packages/fields');

/** The modules that `exports` in packages/fields/package.json names. */
const ENTRIES = ['index', 'element', 'react'];
const FORMATS = { esm: 'js', cjs: 'cjs' } as const satisfies Partial<Record<Format, string>>;
/** A server component of React may import what runs in browsers alone. */
const IN_BROWSERS = "'use client';";

/** All entries share the code of `index`, so that there is one class `FieldsError`. */
const shareIndex = (extension: string): Plugin => ({
  name: 'share-index',
  setup(building) {
    building.onResolve({ filter: /^\.\/index\.ts$/ }, () => ({
      path: `./index.${extension}`,
      external: true,
    }));
  },
});

const bundle = (folder: string, entry: string, format: keyof typeof FORMATS) =>
  build({
    entryPoints: [join(fields, `src/${entry}.ts`)],
    outfile: join(folder, `${entry}.${FORMATS[format]}`),
    bundle: true,
    format,
    platform: 'browser',
    target: 'es2022',
    legalComments: 'none',
    external: ['react'],
    plugins: [shareIndex(FORMATS[format])],
    // A page must not set the address by an element with this id.
    define: { FIELDS_URL: 'undefined' },
    ...(entry === 'react' && { banner: { js: IN_BROWSERS } }),
  });

/**
 * Builds the package into `folder`, which then contains everything that `npm pack` needs.
 * `packages/fields/` itself is such a folder.
 */
export async function buildFields(folder: string): Promise<void> {
  const dist = join(folder, 'dist');
  rmSync(dist, { recursive: true, force: true });
  await Promise.all(ENTRIES.flatMap((entry) => [bundle(dist, entry, 'esm'), bundle(dist, entry, 'cjs')]));
  writeDeclarations(fields, join(dist, 'types'), { entries: ENTRIES });
  writePackageTexts(fields, folder);
}

if (process.argv[1] === import.meta.filename) {
  await buildFields(fields);
  console.log(packPackage(fields, fields));
}
