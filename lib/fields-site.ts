import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { FieldsConfig } from '../packages/fields/headers.ts';

const HASH_LENGTH = 12;
const FONT = /^(?<family>[A-Za-z0-9 ]+?)(?:-(?<weight>[1-9]00))?(?<italic>-italic)?\.woff2$/;

/** The build writes these; every deployment serves the files of `folder` as they are. */
export const BUILT = { folder: 'files', style: 'frame.css', about: 'built.json' } as const;

const integrity = z.string().regex(/^sha384-[A-Za-z0-9+/]{64}$/);

const aboutSchema = z.object({
  /** The page of a frame has this path. */
  page: z.string(),
  /** This path never has other content, for pages that check what they load. */
  script: z.object({ path: z.string().regex(/^assets\/[\w.-]+\.js$/), integrity }),
  frame: z.object({ path: z.string().regex(/^assets\/[\w.-]+\.js$/), integrity }),
});

/** The files of the card fields that are the same for every deployment. */
export type BuiltFields = z.infer<typeof aboutSchema>;

/** The script that a page may load with the checksum. */
export interface FieldsScript {
  /** Such as `assets/fields-0.1.0-3f2a….js`: its content never changes. */
  readonly script: string;
  readonly integrity: string;
}

const sha = (algorithm: string, content: string | Buffer, encoding: 'hex' | 'base64') =>
  createHash(algorithm).update(content).digest(encoding);

/** Returns the value of the attribute `integrity` for a file. */
export const integrityOf = (content: string): string => `sha384-${sha('sha384', content, 'base64')}`;

/** The path of an asset, which changes with its content. */
export const assetPath = (name: string, content: string | Buffer, extension: string): string =>
  `assets/${name}-${sha('sha256', content, 'hex').slice(0, HASH_LENGTH)}.${extension}`;

/** Copies the fonts and returns their rules. Throws for a file with another name. */
function fontRules(fonts: string | undefined, folder: string): string {
  if (fonts === undefined || fonts === '') return '';
  const files = readdirSync(fonts).filter((name) => name.endsWith('.woff2'));
  return files
    .map((name) => {
      const { family, weight = '400', italic } = FONT.exec(name)?.groups ?? {};
      if (family === undefined)
        throw new Error(`${name}: a font has a name such as Inter-400.woff2 or Inter-700-italic.woff2`);
      const file = join(fonts, name);
      const path = assetPath(basename(name, '.woff2').replaceAll(' ', '-'), readFileSync(file), 'woff2');
      copyFileSync(file, join(folder, path));
      const style = italic === undefined ? 'normal' : 'italic';
      return `@font-face{font-family:"${family}";font-weight:${weight};font-style:${style};src:url(${basename(path)}) format("woff2")}`;
    })
    .join('');
}

/** Inside of a script element no text may end it. */
const inScript = (config: FieldsConfig): string => JSON.stringify(config).replaceAll('<', String.raw`\u003c`);

const framePage = (
  config: FieldsConfig,
  script: BuiltFields['frame'],
  style: BuiltFields['frame'],
) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Field</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="stylesheet" href="../${style.path}" integrity="${style.integrity}" />
    <script type="application/json" id="config">${inScript(config)}</script>
    <script type="module" src="../${script.path}" integrity="${script.integrity}"></script>
  </head>
  <body></body>
</html>
`;

/**
 * Writes the card fields of one deployment into `folder`: `fields.js`, the page of a frame, and
 * `assets/` with names that change with their content. `built` is the folder of the built files,
 * `fonts` one of `.woff2` files, such as `Inter-400.woff2` or `Inter-700-italic.woff2`.
 */
export function writeFieldsSite(
  built: string,
  folder: string,
  config: FieldsConfig,
  fonts?: string,
): FieldsScript {
  const about = aboutSchema.parse(JSON.parse(readFileSync(join(built, BUILT.about), 'utf8')));
  cpSync(join(built, BUILT.folder), folder, { recursive: true });
  const style = readFileSync(join(built, BUILT.style), 'utf8') + fontRules(fonts, folder);
  const path = assetPath('frame', style, 'css');
  writeFileSync(join(folder, path), style);
  const page = join(folder, about.page);
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(page, framePage(config, about.frame, { path, integrity: integrityOf(style) }));
  return { script: about.script.path, integrity: about.script.integrity };
}
