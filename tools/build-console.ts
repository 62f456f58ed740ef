// `node tools/build-console.ts FOLDER`: the console as static files, the same for every deployment.
// What differs is in `config.json`, which the server of the page adds.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { forBrowsers } from './publishing/for-browsers.ts';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'console', 'src', 'main.tsx');

const page = (script: string, style: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Cloakroom</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="referrer" content="no-referrer" />
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="assets/${style}" />
    <script type="module" src="assets/${script}"></script>
  </head>
  <body>
    <div id="root"><p class="waiting">Loading the console…</p></div>
    <noscript>The console needs JavaScript.</noscript>
  </body>
</html>
`;

/**
 * Writes `index.html`, and `assets/` with names that change with their content. Returns the sizes
 * of the assets and what loads each one.
 */
export async function buildConsole(folder: string) {
  const assets = join(folder, 'assets');
  rmSync(assets, { recursive: true, force: true });
  mkdirSync(assets, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { console: SOURCE },
    outdir: assets,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    metafile: true,
    legalComments: 'none',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    plugins: [forBrowsers],
  });
  const outputs = Object.entries(metafile.outputs);
  const entry = outputs.find(([, { entryPoint }]) => entryPoint?.endsWith('main.tsx') === true);
  const style = entry?.[1].cssBundle;
  if (entry === undefined || style === undefined)
    throw new Error('the build has no entry with a style sheet');
  writeFileSync(join(folder, 'index.html'), page(basename(entry[0]), basename(style)));
  return { metafile, entry: basename(entry[0]), style: basename(style) };
}

if (process.argv[1] === import.meta.filename) {
  const folder = resolve(process.argv[2] ?? 'dist/console');
  await buildConsole(folder);
  // The licences of what is in the bundle, beside it.
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.md'), readFileSync(join(ROOT, 'THIRD-PARTY-NOTICES.md')));
  console.log(folder);
}
