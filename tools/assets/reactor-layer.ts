import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { IN_EVERY_LAYER, type Compatibility } from '../../lib/reactor-layer.ts';
import { IMAGES, type Image } from '../../src/core/reactors/layer.ts';
import { AUTHOR_PACKAGES, FIELD_SDK, SDK } from '../../src/core/reactors/author-packages.ts';

const ROOT = join(import.meta.dirname, '../..');
const NO_PROCESSES = join(ROOT, 'reactor-runtime/packages/no-processes.ts');

/** An entry point, by the name of its bundle. */
type Source = readonly [file: string, source: string];

interface Bundle {
  readonly content: Uint8Array;
  readonly metafile: Metafile;
}

/** The part of the layer that depends on `clientCompatibility` (docs/lenient.md). */
const BY_COMPATIBILITY: Readonly<Record<Compatibility, readonly Source[]>> = {
  strict: [[`packages/${SDK}.cjs`, './packages/sdk/src/index.ts']],
  lenient: [
    [`packages/${SDK}.cjs`, './reactor-runtime/lenient/sdk.ts'],
    [`packages/${FIELD_SDK}.cjs`, './reactor-runtime/lenient/field-sdk.ts'],
  ],
};

/** Both have these. */
const SOURCES: readonly Source[] = [
  ['runtime/loop.cjs', './reactor-runtime/loop/loop.ts'],
  ['runtime/worker.cjs', './reactor-runtime/worker/worker.ts'],
  ...AUTHOR_PACKAGES.flatMap(({ specifiers }) => specifiers).map(
    (specifier) => [`packages/${specifier}.cjs`, specifier] as const,
  ),
];

/**
 * Corrects esbuild's helper that defines exports. The SDK may be loaded after reactor code that has
 * added members to every object.
 */
const OWN_NAMES_ALONE = ['for(var name in all)', 'for(var name of Object.keys(all))'] as const;

/**
 * One CommonJS file without dependencies. Names are not minified: authors see names of classes and
 * functions in errors.
 */
async function bundle(source: string, image: Image): Promise<Bundle> {
  const isOurs = source.startsWith('.');
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    metafile: true,
    // A package keeps the format that `require` returns; the project's own modules become CommonJS.
    ...(isOurs
      ? { entryPoints: [source] }
      : {
          stdin: { contents: `module.exports = require(${JSON.stringify(source)});`, resolveDir: ROOT },
          alias: { child_process: NO_PROCESSES, 'node:child_process': NO_PROCESSES },
        }),
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: image,
    // Reactor code cannot use import(), so the code around it must not need it either.
    ...(isOurs
      ? {
          supported: { 'dynamic-import': false },
          // The SDK uses Node's own client on every image: `fetch` takes longer to load.
          define: { fetch: 'undefined' },
        }
      : {}),
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`${source} was not bundled`);
  const content = isOurs ? Buffer.from(file.text.replace(...OWN_NAMES_ALONE)) : file.contents;
  return { content, metafile };
}

/** Each file of the layers without Node: its place, its source and the image that it is for. */
const LAYER_FILES = IMAGES.flatMap((image) =>
  Object.entries({ [IN_EVERY_LAYER]: SOURCES, ...BY_COMPATIBILITY }).flatMap(([part, sources]) =>
    sources.map(([file, source]) => ({ file: join(image, part, file), source, image })),
  ),
);

/**
 * Builds the layers without Node into `folder`, by image: what every layer has, and beside it what
 * depends on the compatibility. Returns what was built of what.
 */
export async function buildReactorLayer(folder: string): Promise<readonly Metafile[]> {
  const built = await Promise.all(
    LAYER_FILES.map(async ({ file, source, image }) => {
      const { content, metafile } = await bundle(source, image);
      const to = join(folder, file);
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, content);
      return metafile;
    }),
  );
  for (const image of IMAGES)
    copyFileSync(join(ROOT, 'reactor-runtime/bootstrap'), join(folder, image, IN_EVERY_LAYER, 'bootstrap'));
  return built;
}
