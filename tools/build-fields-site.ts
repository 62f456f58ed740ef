// The card fields as static files, the same for every deployment. What differs is in the page of a
// frame and its style, which lib/fields-site.ts writes.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type BuildOptions, type Metafile } from 'esbuild';
import { assetPath, BUILT, integrityOf, type BuiltFields } from '../lib/fields-site.ts';
import { PROTOCOL } from '../packages/fields/src/protocol.ts';
import { forBrowsers } from './publishing/for-browsers.ts';
import { readManifest } from './publishing/published-packages.ts';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'packages/fields/src');

const OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  minify: true,
  metafile: true,
  legalComments: 'none',
  plugins: [forBrowsers],
} as const satisfies BuildOptions;

interface Built {
  readonly files: readonly { readonly name: string; readonly content: string }[];
  readonly metafile: Metafile;
}

async function built(options: Omit<BuildOptions, keyof typeof OPTIONS>): Promise<Built> {
  const { outputFiles, metafile } = await build<typeof OPTIONS>({ ...OPTIONS, ...options });
  return { files: outputFiles.map(({ path, text }) => ({ name: basename(path), content: text })), metafile };
}

/** Builds the script of a page. */
const pageScript = (): Promise<Built> =>
  built({
    entryPoints: [join(SOURCE, 'site.ts')],
    define: { FIELDS_URL: 'FIELDS_ORIGIN' },
    banner: { js: 'const FIELDS_ORIGIN=new URL(import.meta.url).origin;' },
  });

/** The program of a frame: the file of every field, and those that it loads. */
const frameScripts = (): Promise<Built> =>
  built({
    entryPoints: { frame: join(SOURCE, 'frame/main.ts') },
    outdir: 'assets',
    splitting: true,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
  });

/** Builds into an empty folder what `writeFieldsSite` reads. Returns what was built of what. */
export async function buildFieldsSite(folder: string): Promise<readonly Metafile[]> {
  const files = join(folder, BUILT.folder);
  mkdirSync(join(files, 'assets'), { recursive: true });
  const style = { entryPoints: [join(SOURCE, 'frame/frame.css')] };
  const [page, frame, css] = await Promise.all([pageScript(), frameScripts(), built(style)]);
  const { version } = readManifest(join(ROOT, 'packages/fields'));
  const script = page.files[0]?.content ?? '';
  const scriptPath = assetPath(`fields-${version}`, script, 'js');
  for (const path of [scriptPath, 'fields.js']) writeFileSync(join(files, path), script);
  for (const { name, content } of frame.files) writeFileSync(join(files, 'assets', name), content);
  const first = frame.files.find(({ name }) => name.startsWith('frame-'));
  if (first === undefined) throw new Error('the program of a frame has no first file');
  writeFileSync(join(folder, BUILT.style), css.files[0]?.content ?? '');
  const about: BuiltFields = {
    page: `${PROTOCOL}/frame.html`,
    script: { path: scriptPath, integrity: integrityOf(script) },
    frame: { path: `assets/${first.name}`, integrity: integrityOf(first.content) },
  };
  writeFileSync(join(folder, BUILT.about), JSON.stringify(about));
  // Its data is in src/core/tokens/types/card-ranges.ts, and so in the program of a frame.
  copyFileSync(join(ROOT, 'node_modules/credit-card-type/LICENSE'), join(files, 'LICENSE.credit-card-type'));
  return [page, frame, css].map(({ metafile }) => metafile);
}
