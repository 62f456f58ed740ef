// `node tools/build-fields-site.ts FOLDER CONFIG [FONTS]`: the card fields of one deployment as
// static files. CONFIG is the JSON of `FieldsConfig` in packages/fields/headers.ts, FONTS a folder
// of `.woff2` files, such as `Inter-400.woff2` or `Inter-700-italic.woff2`.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import type { FieldsConfig } from '../packages/fields/headers.ts';
import { PROTOCOL } from '../packages/fields/src/protocol.ts';
import { forBrowsers } from './publishing/for-browsers.ts';
import { readManifest } from './publishing/published-packages.ts';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'packages/fields/src');
const HASH_LENGTH = 12;
const FONT = /^(?<family>[A-Za-z0-9 ]+?)(?:-(?<weight>[1-9]00))?(?<italic>-italic)?\.woff2$/;

const OPTIONS: BuildOptions = {
  absWorkingDir: ROOT,
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  minify: true,
  legalComments: 'none',
  plugins: [forBrowsers],
};

/** The stack of a deployment prints these, for pages that load the script with a checksum. */
export interface BuiltFields {
  /** Such as `assets/fields-0.1.0-3f2a….js`: its content never changes. */
  readonly script: string;
  readonly integrity: string;
}

const sha = (algorithm: string, content: string | Buffer, encoding: 'hex' | 'base64') =>
  createHash(algorithm).update(content).digest(encoding);
const integrityOf = (content: string): string => `sha384-${sha('sha384', content, 'base64')}`;

async function bundled(entry: string, more: BuildOptions = {}): Promise<string> {
  const { outputFiles = [] } = await build({ ...OPTIONS, entryPoints: [join(SOURCE, entry)], ...more });
  return outputFiles[0]?.text ?? '';
}

/** Builds the script of a page, which is the same for every deployment. */
const pageScript = (): Promise<string> =>
  bundled('site.ts', {
    define: { FIELDS_URL: 'FIELDS_ORIGIN' },
    banner: { js: 'const FIELDS_ORIGIN=new URL(import.meta.url).origin;' },
  });

/**
 * The program of a frame, the same for every deployment: the file of every field first, then those
 * that it loads.
 */
async function frameScripts(): Promise<readonly { readonly name: string; readonly content: string }[]> {
  const { outputFiles = [] } = await build({
    ...OPTIONS,
    entryPoints: { frame: join(SOURCE, 'frame/main.ts') },
    outdir: 'assets',
    splitting: true,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
  });
  const files = outputFiles.map(({ path, text }) => ({ name: basename(path), content: text }));
  return files.toSorted((a, b) => Number(b.name.startsWith('frame-')) - Number(a.name.startsWith('frame-')));
}

/** Copies the fonts and returns their rules. Throws for a file with another name. */
function fontRules(fonts: string | undefined, assets: string): string {
  if (fonts === undefined || fonts === '') return '';
  const files = readdirSync(fonts).filter((name) => name.endsWith('.woff2'));
  return files
    .map((name) => {
      const { family, weight = '400', italic } = FONT.exec(name)?.groups ?? {};
      if (family === undefined)
        throw new Error(`${name}: a font has a name such as Inter-400.woff2 or Inter-700-italic.woff2`);
      const hash = sha('sha256', readFileSync(join(fonts, name)), 'hex').slice(0, HASH_LENGTH);
      const copied = `${basename(name, '.woff2').replaceAll(' ', '-')}-${hash}.woff2`;
      copyFileSync(join(fonts, name), join(assets, copied));
      const style = italic === undefined ? 'normal' : 'italic';
      return `@font-face{font-family:"${family}";font-weight:${weight};font-style:${style};src:url(${copied}) format("woff2")}`;
    })
    .join('');
}

/** Inside of a script element no text may end it. */
const inScript = (config: FieldsConfig): string => JSON.stringify(config).replaceAll('<', String.raw`\u003c`);

const framePage = (
  config: FieldsConfig,
  script: string,
  style: string,
  sums: readonly string[],
) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Field</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="stylesheet" href="../${style}" integrity="${sums[1] ?? ''}" />
    <script type="application/json" id="config">${inScript(config)}</script>
    <script type="module" src="../${script}" integrity="${sums[0] ?? ''}"></script>
  </head>
  <body></body>
</html>
`;

/**
 * Writes `fields.js`, the page of a frame, and `assets/` with names that change with their content.
 */
export async function buildFieldsSite(
  folder: string,
  config: FieldsConfig,
  fonts?: string,
): Promise<BuiltFields> {
  const assets = join(folder, 'assets');
  rmSync(assets, { recursive: true, force: true });
  mkdirSync(assets, { recursive: true });
  mkdirSync(join(folder, PROTOCOL), { recursive: true });
  const [page, scripts, css] = await Promise.all([pageScript(), frameScripts(), bundled('frame/frame.css')]);
  const style = css + fontRules(fonts, assets);
  const { version } = readManifest(join(ROOT, 'packages/fields'));
  const asset = (name: string, content: string, extension: string): string => {
    const file = `assets/${name}-${sha('sha256', content, 'hex').slice(0, HASH_LENGTH)}.${extension}`;
    writeFileSync(join(folder, file), content);
    return file;
  };
  const script = asset(`fields-${version}`, page, 'js');
  writeFileSync(join(folder, 'fields.js'), page);
  for (const { name, content } of scripts) writeFileSync(join(assets, name), content);
  const [frame = { name: '', content: '' }] = scripts;
  const sums = [integrityOf(frame.content), integrityOf(style)];
  const html = framePage(config, `assets/${frame.name}`, asset('frame', style, 'css'), sums);
  writeFileSync(join(folder, PROTOCOL, 'frame.html'), html);
  // Its data is in src/core/tokens/types/card-ranges.ts, and so in the program of a frame.
  copyFileSync(join(ROOT, 'node_modules/credit-card-type/LICENSE'), join(folder, 'LICENSE.credit-card-type'));
  return { script, integrity: integrityOf(page) };
}

if (process.argv[1] === import.meta.filename) {
  const [folder = 'dist/fields', config = '', fonts] = process.argv.slice(2);
  console.log(
    JSON.stringify(await buildFieldsSite(resolve(folder), JSON.parse(config) as FieldsConfig, fonts)),
  );
}
