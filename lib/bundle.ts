import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { buildSync, type BuildOptions } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');

/** How every function is bundled. */
export const BUNDLE_OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  // Node builds an ES module's view of `node:http` by reading all of it, which loads its whole
  // `fetch`.
  format: 'cjs',
  target: 'node24',
  mainFields: ['module', 'main'],
  minifySyntax: true,
  minifyWhitespace: true,
  // Names of errors and functions reach the log, where minified ones would say nothing; keeping
  // them beside costs a call a closure.
  minifyIdentifiers: false,
  legalComments: 'none',
  alias: {
    '@aws-sdk/credential-provider-node': './src/adapters/aws/environment-credentials.ts',
    '@smithy/core/event-streams': './src/adapters/aws/no-event-streams.ts',
  },
} satisfies BuildOptions;

/**
 * Packages that a start does not need, and few requests do, but for the log's. Each is a file
 * beside `index.cjs`, and is loaded when something of it is first used (docs/decisions/0026).
 */
const LOADED_LATER = [
  '@aws-lambda-powertools/logger',
  '@aws-lambda-powertools/metrics',
  'acorn',
  'fflate',
  'ipaddr.js',
  'json-p3',
  'liquidjs',
];

/** `require` of such a package: what is taken from it loads it. */
const LOAD_LATER = `"use strict";require=((load)=>(id)=>{
if(!${JSON.stringify(LOADED_LATER)}.includes(id))return load(id);
let loaded;
return new Proxy({},{get:(_,name)=>(loaded??=load("./"+id+".cjs"))[name]});
})(require);`;

/**
 * Bundles a program, by its path from the repository's root, into `index.cjs` of a folder, and what
 * it loads later beside it; a profile is easier to read if nothing is minified. Returns the files
 * whose code is in `index.cjs`.
 */
export function bundleInto(folder: string, entryPoint: string, { minify = true } = {}): readonly string[] {
  const options = {
    ...BUNDLE_OPTIONS,
    minifySyntax: minify,
    minifyWhitespace: minify,
    metafile: true,
  } as const;
  const { metafile } = buildSync({
    ...options,
    entryPoints: [entryPoint],
    outfile: join(folder, 'index.cjs'),
    external: LOADED_LATER,
    banner: { js: LOAD_LATER },
  });
  const outputs = Object.values(metafile.outputs);
  const imports = outputs.flatMap((output) => output.imports).filter(({ path }) => !isBuiltin(path));
  for (const { path, kind } of imports)
    if (!LOADED_LATER.includes(path) || kind !== 'require-call')
      throw new Error(`${entryPoint} would not find ${path}, imported by ${kind}`);
  for (const name of new Set(imports.map(({ path }) => path)))
    buildSync({
      ...options,
      stdin: { contents: `export * from '${name}';`, resolveDir: ROOT },
      outfile: join(folder, `${name}.cjs`),
    });
  return outputs.flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
}
