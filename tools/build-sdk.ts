// `npm run build -- sdk`: builds the package `@cloakroom/sdk` into `packages/sdk/dist` and packs it
// into `packages/sdk/cloakroom-sdk-<version>.tgz`.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');
const sdk = join(root, 'packages/sdk');
const source = join(sdk, 'src');
const ENTRY = join(source, 'index.ts');

/** Browsers have what Node 16 lacks: their build does not even name a module of Node. */
const forBrowsers: Plugin = {
  name: 'for-browsers',
  setup(building) {
    building.onResolve({ filter: /^\.\/platform\.ts$/ }, () => ({
      path: join(source, 'platform.browser.ts'),
    }));
  },
};

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

/** Declarations of every module, by its path; throws the compiler's messages. */
function declarations(): ReadonlyMap<string, string> {
  const file = join(sdk, 'tsconfig.json');
  const { config } = ts.readConfigFile(file, (path) => ts.sys.readFile(path)) as { readonly config: object };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, sdk);
  const program = ts.createProgram({
    rootNames: [ENTRY],
    options: { ...options, noEmit: false, declaration: true, emitDeclarationOnly: true },
  });
  const files = new Map<string, string>();
  const { diagnostics } = program.emit(undefined, (file, text) => files.set(basename(file), text));
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (problems.length > 0)
    throw new Error(
      ts.formatDiagnostics(problems, {
        getCanonicalFileName: (file) => file,
        getCurrentDirectory: () => root,
        getNewLine: () => '\n',
      }),
    );
  return files;
}

const SPECIFIER = /((?:from |import\()['"])\.\/([\w.-]+)\.ts(['"])/g;

/** The declarations that the entry exports: the SDK's internals have no public types. */
function reachable(files: ReadonlyMap<string, string>): ReadonlySet<string> {
  const found = new Set(['index.d.ts']);
  for (const file of found) {
    const text = files.get(file);
    if (text === undefined) throw new Error(`${file} was not emitted`);
    for (const [, , module = ''] of text.matchAll(SPECIFIER)) found.add(`${module}.d.ts`);
  }
  return found;
}

/**
 * Each declaration twice, since a `require` must find CommonJS: `.d.ts` whose imports end in `.js`,
 * `.d.cts` whose imports end in `.cjs`.
 */
function writeDeclarations(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const files = declarations();
  for (const file of reachable(files)) {
    const text = files.get(file) ?? '';
    const ending = (extension: string) => text.replaceAll(SPECIFIER, `$1./$2.${extension}$3`);
    writeFileSync(join(folder, file), ending('js'));
    writeFileSync(join(folder, file.replace(/\.d\.ts$/, '.d.cts')), ending('cjs'));
  }
}

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
  writeDeclarations(join(dist, 'types'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  // Its data is in src/core/tokens/types/card-ranges.ts.
  cpSync(join(root, 'node_modules/credit-card-type/LICENSE'), join(dist, 'LICENSE.credit-card-type'));
  if (folder !== sdk)
    for (const file of ['package.json', 'README.md', 'CHANGELOG.md'])
      cpSync(join(sdk, file), join(folder, file));
}

/** Packs a built package, as it would be published, into `to`. Returns the tarball's path. */
export function packSdk(folder: string, to: string): string {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', to], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return join(to, `cloakroom-sdk-${version}.tgz`);
}

if (process.argv[1] === import.meta.filename) {
  await buildSdk(sdk);
  console.log(packSdk(sdk, sdk));
}
