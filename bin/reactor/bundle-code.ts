import { dirname, relative } from 'node:path';
import type { BuildFailure, Message, Metafile, Plugin } from 'esbuild';
import { REFUSED } from '../../reactor-runtime/worker/built-ins.ts';
import type { Image } from '../../src/core/reactors/layer.ts';
import { AUTHOR_PACKAGES, FIELD_SDK, SDK } from '../../src/core/reactors/author-packages.ts';
import { BundleError } from './bundle-error.ts';
import { findEsbuild } from './find-esbuild.ts';

export interface BundledCode {
  readonly code: string;
  /** Characters of the bundle by package, the largest first; the author's own files are `''`. */
  readonly parts: readonly { readonly name: string; readonly size: number }[];
  /** Parts of Node.js that the bundle requires and reactors may not use, each with the reason. */
  readonly refused: readonly string[];
}

const PROVIDED = [SDK, ...AUTHOR_PACKAGES.flatMap(({ specifiers }) => specifiers)];

/**
 * Excludes only the exact names that the runtime provides. With esbuild's own option `external`,
 * all files of these packages would be external.
 */
const provided = (names: readonly string[]): Plugin => ({
  name: 'provided',
  setup: (bundler) => {
    bundler.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind !== 'entry-point' && names.includes(path) ? { path, external: true } : undefined,
    );
  },
});

/** Returns the package that a specifier names: `@scope/name` for `@scope/name/file`. */
const packageOf = (specifier: string): string | undefined => /^(?:@[^/]+\/)?[^@./][^/]*/.exec(specifier)?.[0];

function remedyOf({ text, location }: Message): string {
  const place = location === null ? '' : `${location.file}:${String(location.line)}: `;
  const missing = /^Could not resolve "(.+)"$/.exec(text)?.[1];
  if (missing === undefined) return `${place}${text}`;
  const name = packageOf(missing);
  if (name === undefined) return `${place}there is no file ${missing}`;
  const orLacks = name === missing ? '' : `, or has no ${missing}`;
  return `${place}the package ${name} is not installed${orLacks}. Run: npm install ${name}`;
}

/** The package of a bundled file; `''` for the author's own. */
const packageOfFile = (file: string): string =>
  /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? '';

function partsOf({ outputs }: Metafile): BundledCode['parts'] {
  const sizes = new Map<string, number>();
  for (const { inputs } of Object.values(outputs))
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const name = packageOfFile(file);
      sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput);
    }
  return [...sizes].map(([name, size]) => ({ name, size })).toSorted((a, b) => b.size - a.size);
}

function refusedIn({ outputs }: Metafile): readonly string[] {
  const required = Object.values(outputs).flatMap(({ imports }) =>
    imports.map(({ path }) => path.replace(/^node:/, '')),
  );
  return [...new Set(required)].flatMap((name) => {
    const reason = REFUSED[name];
    return reason === undefined ? [] : [`${name}: ${reason}`];
  });
}

/**
 * Bundles reactor code and the installed packages that it requires into one CommonJS file for
 * an image, which requires only what the runtime provides. `file` is absolute. Rejects with
 * {@link BundleError}.
 */
export async function bundleCode(
  file: string,
  { isLenient, image }: { readonly isLenient: boolean; readonly image: Image },
): Promise<BundledCode> {
  const directory = dirname(file);
  const names = isLenient ? [...PROVIDED, FIELD_SDK] : PROVIDED;
  const { build } = findEsbuild(file);
  const { outputFiles, metafile } = await build({
    absWorkingDir: directory,
    entryPoints: [file],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    target: image,
    // Reactor code cannot use import().
    supported: { 'dynamic-import': false },
    minify: true,
    // A reactor has no environment.
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    plugins: [provided(names)],
    logLevel: 'silent',
  }).catch((error: unknown) => {
    const { errors } = error as BuildFailure;
    throw new BundleError(errors.map(remedyOf).join('\n'), { cause: error });
  });
  const [output] = outputFiles;
  const entry = metafile.inputs[relative(directory, file)];
  // A module exports its function as the default. In a folder of modules, code with
  // `module.exports` also has this format.
  const isModule = entry?.format === 'esm';
  return {
    code: `${output?.text ?? ''}${isModule ? 'module.exports=module.exports.default??module.exports;\n' : ''}`,
    parts: partsOf(metafile),
    refused: refusedIn(metafile),
  };
}
