// `npm run build -- cli`: builds the package `@cloakroom/cli` into `packages/cli/dist` and packs it
// into `packages/cli/cloakroom-cli-<version>.tgz`: the program, and the app with the default
// settings, so that a start synthesizes nothing.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { localApp } from '../bin/start/local-app.ts';
import { assetFolder } from '../lib/asset-folder.ts';
import type { Compatibility } from '../lib/reactor-layer.ts';
import { PUBLISHED_NODES, THIS_PLATFORM } from '../lib/reactor-node.ts';
import { IMAGES } from '../src/core/reactors/layer.ts';
import { synthesize } from '../packages/local-aws/src/assembly/synthesize.ts';
import { layerKey } from '../packages/cli/src/packaged/layer-key.ts';
import { buildAssets } from './build-assets.ts';
import { checkConfigSchema } from './build-config-schema.ts';
import { packPackage } from './publishing/pack-package.ts';
import { writePackageTexts } from './publishing/package-texts.ts';
import { replacementProperties } from './publishing/replacement-properties.ts';
import { filesOf, noticesOf, noticesText } from './publishing/third-party.ts';
import cdkJson from '../cdk.json' with { type: 'json' };

const root = join(import.meta.dirname, '..');
const cli = join(root, 'packages/cli');
const PACKAGED = join(cli, 'src/packaged');
const COMPATIBILITIES: readonly Compatibility[] = ['strict', 'lenient'];

/** Modules that find the sources of the repository, in whose place a package has others. */
const packaged: Plugin = {
  name: 'packaged',
  setup(building) {
    const names = readdirSync(PACKAGED).map((name) => basename(name, '.ts'));
    building.onResolve({ filter: new RegExp(`/(?:${names.join('|')})\\.ts$`) }, ({ path, importer }) =>
      importer.startsWith(PACKAGED) ? undefined : { path: join(PACKAGED, basename(path)) },
    );
  },
};

/** Programs of threads, which are files beside the program. */
const WORKERS = {
  'queue-worker': 'packages/local-aws/src/sqs/queue-worker.ts',
  'instance-worker': 'packages/local-aws/src/lambda/instance-worker.ts',
};

/** The parts of fauxqs that the thread of SQS looks for in its folder. */
const FAUXQS = ['sqs/sqsStore.js', 'sns/snsStore.js', 's3/s3Store.js', 'persistence.js'];

const replaced = (text: string, from: string | RegExp, to: string): string => {
  const result = text.replace(from, () => to);
  if (result === text) throw new Error(`tools/build-cli.ts finds no ${String(from)}`);
  return result;
};

const workers: Plugin = {
  name: 'workers',
  setup(building) {
    const change = (file: RegExp, edit: (text: string) => string) => {
      building.onLoad({ filter: file }, ({ path }) => ({
        loader: 'ts',
        contents: edit(readFileSync(path, 'utf8')),
      }));
    };
    change(/\/create-sqs\.ts$/, (text) => replaced(text, "'queue-worker.ts'", "'queue-worker.mjs'"));
    change(/\/function-instance\.ts$/, (text) =>
      replaced(text, "'instance-worker.ts'", "'instance-worker.mjs'"),
    );
    change(/\/queue-worker\.ts$/, (text) => {
      const parts = FAUXQS.map((part) => `'${part}': () => import('fauxqs-parts/${part}')`);
      const imported = replaced(
        text,
        "await import(new URL(path, import.meta.resolve('fauxqs')).href)",
        'await PARTS[path]()',
      );
      return `const PARTS: any = { ${parts.join(', ')} };\n${imported}`;
    });
    building.onResolve({ filter: /^fauxqs-parts\// }, ({ path }) => ({
      path: join(root, 'node_modules/fauxqs/dist', path.slice('fauxqs-parts/'.length)),
    }));
  },
};

/**
 * CommonJS packages in an ES module need these. The names are long because the minifier gives short
 * ones to the code behind, and does not see these.
 */
const BANNER = `import{createRequire as bannerRequire}from'node:module';import{fileURLToPath as bannerPath}from'node:url';import{dirname as bannerFolder}from'node:path';
const require=bannerRequire(import.meta.url),__filename=bannerPath(import.meta.url),__dirname=bannerFolder(__filename);`;

const OPTIONS: BuildOptions = {
  absWorkingDir: root,
  entryPoints: { program: join(cli, 'src/program.ts'), ...WORKERS },
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  mainFields: ['module', 'main'],
  // A command that needs esbuild takes that of the project; the other is native.
  external: ['classic-level', 'esbuild'],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  plugins: [packaged, workers, replacementProperties],
  banner: { js: BANNER },
};

/** Builds the receiver of webhooks, with the SDK in it. */
const RECEIVER: BuildOptions = {
  absWorkingDir: root,
  entryPoints: { 'webhook-receiver': 'examples/webhook-receiver/index.js' },
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  alias: { '@cloakroom/sdk': './packages/sdk/src/index.ts' },
};

/** Files of an app that a start does not read. */
const UNREAD = /^(?:tree\.json|cdk\.out|.*\.metadata\.json|package\.json|validation-report\.json)$/;

/** Writes the synthesized app of one compatibility, and its functions to where both have theirs. */
async function writeApp(folder: string, clientCompatibility: Compatibility): Promise<void> {
  const { program, context } = localApp({ clientCompatibility });
  const output = mkdtempSync(join(tmpdir(), 'cloakroom-app-'));
  try {
    await synthesize({
      root,
      program,
      context: { ...cdkJson.context, ...context },
      directory: output,
      compileCache: join(root, '.local/compile-cache'),
    });
    const names = readdirSync(output);
    const layers = names.flatMap((name) => {
      const node = join(output, name, 'bin/node');
      if (!existsSync(node)) return [];
      const hash = createHash('sha256').update(readFileSync(node)).digest('hex');
      const found = PUBLISHED_NODES.find(({ sha256 }) => sha256 === hash);
      if (found === undefined) throw new Error(`${name} has a Node that is no image's`);
      return [{ name, key: layerKey(found.image) }];
    });
    if (layers.length !== IMAGES.length) throw new Error('the app does not have a layer for each image');
    const withKeys = (text: string) =>
      layers.reduce((made, { name, key }) => made.replaceAll(name, key), text);
    const isLayer = (name: string) => layers.some((layer) => layer.name === name);
    const app = join(folder, clientCompatibility);
    mkdirSync(app, { recursive: true });
    for (const name of names.filter((each) => !UNREAD.test(each) && !isLayer(each)))
      if (name.startsWith('asset.'))
        cpSync(join(output, name), join(folder, 'assets', name), { recursive: true });
      else writeFileSync(join(app, name), withKeys(readFileSync(join(output, name), 'utf8')));
  } finally {
    rmSync(output, { recursive: true });
  }
}

/**
 * Builds the package into `folder`, which then contains everything that `npm pack` needs.
 * `packages/cli/` itself is such a folder.
 */
export async function buildCli(folder: string): Promise<void> {
  await checkConfigSchema();
  // The synthesis of the app reads the Node of reactors for this machine.
  await buildAssets(undefined, [THIS_PLATFORM]);
  const dist = join(folder, 'dist');
  rmSync(dist, { recursive: true, force: true });
  const [{ metafile }] = await Promise.all([
    build<BuildOptions & { metafile: true }>({ ...OPTIONS, metafile: true, outdir: dist }),
    build({ ...RECEIVER, outdir: dist }),
    ...COMPATIBILITIES.map((each) => writeApp(join(dist, 'app'), each)),
  ]);
  for (const part of ['reactor-layer', 'console', 'fields'] as const)
    cpSync(assetFolder(part), join(dist, 'assets', part), { recursive: true });
  cpSync(join(root, 'docs/openapi.json'), join(dist, 'openapi.json'));
  const notices = [
    noticesText(noticesOf(filesOf(metafile))),
    readFileSync(join(root, 'THIRD-PARTY-NOTICES.md')),
  ];
  writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.md'), notices.join('\n'));
  writePackageTexts(cli, folder);
}

if (process.argv[1] === import.meta.filename) {
  await buildCli(cli);
  console.log(packPackage(cli, cli));
}
