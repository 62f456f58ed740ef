import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/**
 * Permissive licences. A package under another one fails the check until a person has reviewed it.
 */
const ALLOWED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'Unlicense'];

/** Reviewed packages: the licence that applies, and why. */
const TAKEN_UNDER: Readonly<Record<string, string>> = {
  // The receiver may choose one of two licences.
  'node-forge': 'BSD-3-Clause',
  // Dedicated to the public domain by its README; part of json-stable-stringify on platforms
  // without JSON.
  jsonify: 'Public Domain',
  // Its manifest has the form of npm before 2015.
  lazy: 'MIT',
};

/** The licence of a package whose code is in a bundle. */
export interface Notice {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly text: string;
}

/** The folder of the package of a file; `undefined` for the project's own. */
function packageFolder(file: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}

/** The MIT licence, which lacks its copyright line (https://spdx.org/licenses/MIT.html). */
const MIT_TERMS = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense,
and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so,
subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN
NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY,
WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** Copyright lines of packages that publish none: from the LICENSE of their repositories. */
const COPYRIGHT: Readonly<Record<string, string>> = {
  // Its manifest names the author.
  'abstract-logging': 'Copyright (c) James Sumners',
  // https://www.npmjs.com/package/lazy
  lazy: 'Copyright (c) Peteris Krumins',
  // https://github.com/standard-webhooks/standard-webhooks/blob/main/libraries/LICENSE
  standardwebhooks: 'Copyright (c) 2023 Svix (https://www.svix.com)',
  // The licence is at https://github.com/jsdom/tr46.
  tr46: 'Copyright (c) Sebastian Mayr',
};

/** Licences that require their text and the copyright line. */
const WANTS_TEXT = ['BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

/** The chapter "License" of a README, which some packages have instead of a file. */
const licenseChapter = (readme: string) =>
  /^(?:#+ *licen[cs]e|licen[cs]e\n-+) *\n(.*)/ims.exec(readme)?.[1]?.trim();

function licenseText(folder: string, name: string, license: string): string {
  const files = readdirSync(folder).toSorted();
  const file = files.find((each) => /^licen[cs]e/i.test(each));
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8');
  const readme = files.find((each) => /^readme/i.test(each));
  const chapter =
    readme === undefined ? undefined : licenseChapter(readFileSync(join(folder, readme), 'utf8'));
  const said =
    COPYRIGHT[name] ?? chapter ?? `The package names its licence, ${license}, and has no text of it.`;
  if (license !== 'MIT' || said.includes('Permission is hereby granted')) {
    if (WANTS_TEXT.includes(license) && !/copyright/i.test(said))
      throw new Error(`${name} is under ${license} and has no text of it`);
    return said;
  }
  if (!/copyright/i.test(said)) throw new Error(`${name} is under MIT and names no holder of the copyright`);
  return `${said}\n\n${MIT_TERMS}`;
}

function noticeOf(folder: string): Notice {
  const { name, version, ...said } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const license = TAKEN_UNDER[name] ?? said.license;
  if (license === undefined || !(name in TAKEN_UNDER || ALLOWED.includes(license)))
    throw new Error(`${name} has the licence ${String(license)}, which no one has looked at`);
  const text = licenseText(folder, name, license).replaceAll('\r\n', '\n').trim();
  return { name, version, license, text };
}

/** Files whose code is in a bundle. */
export const filesOf = ({ outputs }: Metafile): readonly string[] =>
  Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );

/**
 * The licences of the packages of these files, and of more packages by their folders. Throws for a
 * licence that is not permissive, or that has no text.
 */
export function noticesOf(files: readonly string[], copied: readonly string[] = []): readonly Notice[] {
  const folders = new Set([...files.flatMap((file) => packageFolder(file) ?? []), ...copied]);
  return [...folders].map(noticeOf).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Lists the texts of licences, each with the packages under it: many share one. */
export const byTextOf = (
  notices: readonly Notice[],
): readonly { readonly text: string; readonly names: string }[] =>
  [...Map.groupBy(notices, ({ text }) => text)].map(([text, packages]) => ({
    text,
    names: packages.map(({ name }) => name).join(', '),
  }));

/** Writes the notices as a file of a package. */
export function noticesText(notices: readonly Notice[]): string {
  const rows = notices.map(({ name, version, license }) => `${name} ${version}, ${license}`);
  const texts = byTextOf(notices).map(({ text, names }) => `${names}\n\n${text}`);
  return `Code of others that this package contains.\n\n${rows.join('\n')}\n\n${texts.join('\n\n---\n\n')}\n`;
}
