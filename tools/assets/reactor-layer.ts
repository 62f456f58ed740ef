import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { IN_EVERY_LAYER, type Compatibility } from '../../lib/reactor-layer.ts';
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
async function bundle(source: string): Promise<Bundle> {
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
    target: 'node16',
    // Reactor code cannot use import(), so the code around it must not need it either.
    ...(isOurs ? { supported: { 'dynamic-import': false } } : {}),
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`${source} was not bundled`);
  const content = isOurs ? Buffer.from(file.text.replace(...OWN_NAMES_ALONE)) : file.contents;
  return { content, metafile };
}

/**
 * Builds the layer without Node into `folder`: what every layer has, and beside it what depends on
 * the compatibility. Returns what was built of what.
 */
export async function buildReactorLayer(folder: string): Promise<readonly Metafile[]> {
  const all = Object.entries({ [IN_EVERY_LAYER]: SOURCES, ...BY_COMPATIBILITY }).flatMap(([part, sources]) =>
    sources.map(([file, source]) => ({ to: join(folder, part, file), source })),
  );
  const built = await Promise.all(
    all.map(async ({ to, source }) => {
      const { content, metafile } = await bundle(source);
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, content);
      return metafile;
    }),
  );
  copyFileSync(join(ROOT, 'reactor-runtime/bootstrap'), join(folder, IN_EVERY_LAYER, 'bootstrap'));
  return built;
}
