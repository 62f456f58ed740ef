import { readFileSync, realpathSync } from 'node:fs';
import { extname, sep } from 'node:path';
import type { BuildFailure, Loader, Message, Metafile, Plugin } from 'esbuild';
import { REFUSED } from '../../../reactor-runtime/worker/built-ins.ts';
import type { Image } from '../../../src/core/reactors/layer.ts';
import type { PackageBundle } from '../../../src/core/reactors/package-bundle.ts';
import { BundleError } from '../bundle-error.ts';
import type { Bundler } from '../find-esbuild.ts';
import { nameAt } from './lock.ts';
import { placesIn } from './places.ts';
import { STUBS } from './stubs.ts';

export interface BuiltPackages extends Pick<PackageBundle, 'code' | 'places'> {
  /** Bytes of the text by package, the largest first; `''` is what connects them. */
  readonly sizes: readonly { readonly name: string; readonly size: number }[];
  /** Each says what may not work in a reactor. */
  readonly warnings: readonly string[];
}

export interface PackagesToBuild {
  /** Their `node_modules` is in it. */
  readonly folder: string;
  readonly image: Image;
  readonly specifiers: readonly string[];
  /** The lock has packages in these places. */
  readonly places: ReadonlySet<string>;
  /** Code does not find these. */
  readonly absent: readonly string[];
}

const STUB = 'stub';

const LOADERS: Readonly<Record<string, Loader>> = {
  '': 'js',
  '.cjs': 'js',
  '.js': 'js',
  '.json': 'json',
  '.mjs': 'js',
};

/** esbuild would take the names of files from the map of a package, which can name any. */
const NO_MAP = '\n//# sourceMappingURL=data:application/json,{}';

/** The place of the innermost package of a file below the folder; `undefined` for another file. */
const PLACE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

const placeOfFile = (file: string): string | undefined => PLACE.exec(file)?.[0];

/** The name of the package that a file below the folder belongs to. */
export const packageOfFile = (file: string): string => {
  const place = placeOfFile(file);
  return place === undefined ? '' : nameAt(place);
};

/** The error that a refusal of this program becomes in esbuild, which shows its text alone. */
const refusal = (text: string) => ({ errors: [{ text, detail: 'refused' }] });

/**
 * Reads the files of the packages. The code of a package can name any file: another would be
 * readable for the code in the bundle.
 */
function files({ folder, places }: PackagesToBuild): Plugin {
  const root = `${realpathSync(folder)}${sep}`;
  return {
    name: 'files',
    setup: (bundler) => {
      bundler.onLoad({ filter: /.*/, namespace: 'file' }, ({ path }) => {
        const real = realpathSync(path);
        const file = real.startsWith(root) ? real.slice(root.length).replaceAll(sep, '/') : undefined;
        const place = file === undefined ? undefined : placeOfFile(file);
        if (place === undefined || !places.has(place))
          return refusal('a package requires a file that is in no package of the lock');
        const type = extname(real);
        const name = nameAt(place);
        if (type === '.node') return refusal(`${name} is a native addon. Reactors cannot load one`);
        const loader = LOADERS[type];
        if (loader === undefined) return refusal(`${name} requires a file of type ${type}, which is no code`);
        const contents = readFileSync(real, 'utf8');
        return { loader, contents: loader === 'js' ? `${contents}${NO_MAP}` : contents };
      });
    },
  };
}

/** Decides what packages find in place of what reactors do not have. */
const replacements = ({ absent }: PackagesToBuild): Plugin => ({
  name: 'replacements',
  setup: (bundler) => {
    bundler.onResolve({ filter: /^(?:node:)?(?:child_process|module)$/ }, ({ path }) => ({
      path: path.replace('node:', ''),
      namespace: STUB,
    }));
    bundler.onLoad({ filter: /.*/, namespace: STUB }, ({ path }) => ({ contents: STUBS[path] ?? '' }));
    if (absent.length === 0) return;
    bundler.onResolve({ filter: /^[^./]/ }, ({ path }) =>
      absent.some((name) => path === name || path.startsWith(`${name}/`))
        ? { path, external: true }
        : undefined,
    );
  },
});

function reasonOf({ text, location, detail }: Message): string {
  if (detail === 'refused') return text;
  const name = location === null ? '' : packageOfFile(location.file);
  const missing = /^Could not resolve "(.+)"$/.exec(text)?.[1];
  if (missing !== undefined)
    return name === ''
      ? `there is no ${missing} in its package`
      : `${name} requires ${missing}, which is not among the packages of the lock. Run: npm install ${missing}`;
  const awaiting = /top-level await/i.test(text);
  const inText = packageOfFile(/"([^"]*node_modules\/[^"]*)"/.exec(text)?.[1] ?? '');
  if (awaiting) return `${inText || name} has top-level await, so that code cannot require it`;
  return `${name || 'the bundle'} cannot be bundled: ${text}`;
}

function sizesOf({ outputs }: Metafile): BuiltPackages['sizes'] {
  const sizes = new Map<string, number>();
  for (const { inputs, bytes } of Object.values(outputs)) {
    // The map is an output too, without inputs.
    if (Object.keys(inputs).length === 0) continue;
    let rest = bytes;
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      rest -= bytesInOutput;
      const name = packageOfFile(file);
      sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput);
    }
    sizes.set('', (sizes.get('') ?? 0) + rest);
  }
  return [...sizes].map(([name, size]) => ({ name, size })).toSorted((a, b) => b.size - a.size);
}

/** Says which packages require a part of Node.js that reactors do not have. */
function refusedParts({ inputs }: Metafile): readonly string[] {
  const found = new Map<string, string>();
  for (const [file, { imports }] of Object.entries(inputs))
    for (const { path, external } of imports) {
      const part = path.replace(/^node:/, '');
      const reason = Object.hasOwn(REFUSED, part) ? REFUSED[part] : undefined;
      if (external !== true || reason === undefined) continue;
      const name = packageOfFile(file);
      found.set(`${name} ${part}`, `${name} requires ${part}: ${reason}, so it may not load in a reactor.`);
    }
  return [...found.values()];
}

/** esbuild gives these ids to what works otherwise than in Node.js. */
const DOUBTS: Readonly<Record<string, string>> = {
  'empty-import-meta': 'reads import.meta, which is empty in a bundle',
  'indirect-require': 'passes require on: a bundle lacks what it requires that way',
  'unsupported-require-call': 'requires a name that it computes: a bundle lacks what only that names',
};

function doubtsOf(warnings: readonly Message[]): readonly string[] {
  const found = warnings.flatMap(({ id, location }) => {
    const doubt = Object.hasOwn(DOUBTS, id) ? DOUBTS[id] : undefined;
    const name = packageOfFile(location?.file ?? '');
    return doubt === undefined || name === '' ? [] : [`${name} ${doubt}.`];
  });
  return [...new Set(found)];
}

/**
 * Bundles installed packages into one CommonJS text with a function for each name that code
 * requires, so that a package is loaded when code asks for it, and is the same for all that share
 * it. Rejects with {@link BundleError}.
 */
export async function buildPackages({ build }: Bundler, packages: PackagesToBuild): Promise<BuiltPackages> {
  const { folder, image, specifiers } = packages;
  const members = specifiers
    .map((each) => JSON.stringify(each))
    .map((name) => `${name}: () => require(${name})`);
  const { outputFiles, metafile, warnings } = await build({
    absWorkingDir: realpathSync(folder),
    stdin: {
      contents: `module.exports = {\n${members.join(',\n')}\n};`,
      resolveDir: realpathSync(folder),
      sourcefile: 'names.js',
    },
    outfile: 'code.cjs',
    bundle: true,
    write: false,
    metafile: true,
    sourcemap: 'external',
    sourcesContent: false,
    platform: 'node',
    // As Node.js chooses a file: it knows no `module`.
    mainFields: ['main'],
    conditions: [],
    format: 'cjs',
    target: image,
    supported: { 'dynamic-import': false },
    minifyWhitespace: true,
    minifySyntax: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    tsconfigRaw: {},
    legalComments: 'none',
    plugins: [replacements(packages), files(packages)],
    logLevel: 'silent',
    logLimit: 0,
    logOverride: Object.fromEntries(Object.keys(DOUBTS).map((id) => [id, 'warning' as const])),
  }).catch((error: unknown) => {
    const { errors } = error as BuildFailure;
    const reasons = new Set(errors.map(reasonOf).map((reason) => reason.replaceAll(folder, '')));
    throw new BundleError([...reasons].join('\n'), { cause: error });
  });
  const textOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  const code = textOf('.cjs');
  return {
    code,
    places: placesIn(textOf('.map'), packageOfFile),
    sizes: sizesOf(metafile),
    warnings: [...refusedParts(metafile), ...doubtsOf(warnings)],
  };
}
