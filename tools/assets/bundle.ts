import { mkdirSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { buildSync, type BuildOptions, type Metafile } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');

export const BUNDLE_OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  // CommonJS, because for an ES module Node reads every export of `node:http`, which loads its
  // whole `fetch`.
  format: 'cjs',
  target: 'node24',
  mainFields: ['module', 'main'],
  minifySyntax: true,
  minifyWhitespace: true,
  // The log contains names of errors and functions, which must be readable. Minifying and restoring
  // names costs a call per closure.
  minifyIdentifiers: false,
  legalComments: 'none',
  alias: {
    '@aws-sdk/credential-provider-node': './src/adapters/aws/environment-credentials.ts',
    '@smithy/core/checksum': './src/adapters/aws/checksum.ts',
    '@smithy/core/event-streams': './src/adapters/aws/no-event-streams.ts',
    'mnemonist/lru-cache': './src/adapters/aws/endpoint-map.ts',
  },
} satisfies BuildOptions;

/**
 * Packages that a start and most requests do not need (most requests need that of the log). Each is
 * a file next to `index.cjs`, loaded at its first use
 * (docs/decisions/0013#load-rare-code-on-first-use).
 */
const LOADED_LATER = [
  '@aws-lambda-powertools/logger',
  '@aws-lambda-powertools/metrics',
  'acorn',
  'fflate',
  'ipaddr.js',
  'json-p3',
  'liquidjs',
  're2js',
];

/**
 * Packages that most starts of one function do not need: most proxies run no reactor, and commands
 * of the operator read tables.
 */
const LOADED_LATER_BY: Readonly<Record<string, readonly string[]>> = {
  'functions/operator/index.ts': ['@aws-sdk/client-sqs'],
  'functions/operator-access/index.ts': ['@aws-sdk/client-lambda'],
  'functions/proxy/index.ts': ['@aws-sdk/client-lambda'],
};

/** Replaces `require` of such packages: the first use of an export loads one. */
export const loadLater = (packages: readonly string[]) => `"use strict";require=((load)=>(id)=>{
if(!${JSON.stringify(packages)}.includes(id))return load(id);
let loaded;
return new Proxy({},{get:(_,name)=>(loaded??=load("./"+id+".cjs"))[name]});
})(require);`;

/** The files of such packages that this process has built: functions share them. */
const laterFiles = new Map<string, Uint8Array>();

function laterFile(name: string, options: BuildOptions): Uint8Array {
  const key = `${name} ${String(options.minifySyntax)}`;
  const stdin = { contents: `export * from '${name}';`, resolveDir: ROOT };
  const built =
    laterFiles.get(key) ?? buildSync({ ...options, stdin, write: false }).outputFiles[0]?.contents;
  if (built === undefined) throw new Error(`${name} was not bundled`);
  laterFiles.set(key, built);
  return built;
}

/**
 * Bundles a program into `index.cjs` of a folder, with its lazily loaded files next to it. Profiles
 * are easier to read without `minify`. Returns what `index.cjs` was built of.
 */
export function bundleInto(folder: string, entryPoint: string, { minify = true } = {}): Metafile {
  const later = [...LOADED_LATER, ...(LOADED_LATER_BY[entryPoint] ?? [])];
  const options = { ...BUNDLE_OPTIONS, minifySyntax: minify, minifyWhitespace: minify };
  const { metafile } = buildSync({
    ...options,
    metafile: true,
    entryPoints: [entryPoint],
    outfile: join(folder, 'index.cjs'),
    external: later,
    banner: { js: loadLater(later) },
  });
  const imports = Object.values(metafile.outputs)
    .flatMap((output) => output.imports)
    .filter(({ path }) => !isBuiltin(path));
  for (const { path, kind } of imports)
    if (!later.includes(path) || kind !== 'require-call')
      throw new Error(`${entryPoint} would not find ${path}, imported by ${kind}`);
  for (const name of new Set(imports.map(({ path }) => path))) {
    const file = join(folder, `${name}.cjs`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, laterFile(name, options));
  }
  return metafile;
}
