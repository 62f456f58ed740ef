// `npm run build -- notices`: THIRD-PARTY-NOTICES.md, the licences of all third-party code in the
// bundles and the layer of reactors. `--check` compares instead of writing.
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { BUNDLE_OPTIONS } from '../lib/bundle.ts';
import { AUTHOR_PACKAGES } from '../src/core/reactors/author-packages.ts';
import { formatted } from './formatted.ts';

const FILE = 'THIRD-PARTY-NOTICES.md';
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
};

interface Notice {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly text: string;
}

/** Files whose code is in the bundle of these modules. */
function bundledFiles(modules: readonly string[]): readonly string[] {
  const { metafile } = buildSync({
    ...BUNDLE_OPTIONS,
    stdin: {
      contents: modules.map((module) => `require(${JSON.stringify(module)});`).join('\n'),
      resolveDir: BUNDLE_OPTIONS.absWorkingDir,
    },
    write: false,
    metafile: true,
  });
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
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

const deployed = [
  ...globSync('functions/*/index.ts').map((file) => `./${file}`),
  './reactor-runtime/loop/loop.ts',
  './reactor-runtime/worker/worker.ts',
  // Authors of reactors may require these.
  ...AUTHOR_PACKAGES.flatMap(({ specifiers }) => specifiers),
];
/** Packages whose data is in a generated file (src/core/tokens/types/card-ranges.ts). */
const COPIED = ['node_modules/credit-card-type'];
const folders = new Set([...bundledFiles(deployed).flatMap((file) => packageFolder(file) ?? []), ...COPIED]);
const notices = [...folders].map(noticeOf).toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** Packages under each text: many share the one of their licence. */
const byText = Map.groupBy(notices, ({ text }) => text);
const texts = [...byText].map(([text, packages]) => {
  const names = packages.map(({ name }) => name).join(', ');
  return `## ${names}\n\n\`\`\`text\n${text}\n\`\`\``;
});
const rows = notices.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`);
const page = `# Third-party notices

Code of others that a deployment runs: bundled into the functions and into the layer of reactors. \`npm run build -- notices\` writes this
page from the bundles. The layer also holds Node.js 16.20.2, whose licence and those of its parts are in
<https://github.com/nodejs/node/blob/v16.20.2/LICENSE>. \`@cloakroom/sdk\` holds no code of others, and the card ranges of credit-card-type.

| Package | Version | Licence |
| --- | --- | --- |
${rows.join('\n')}

${texts.join('\n\n')}
`;
const wanted = await formatted(FILE, page);

if (!process.argv.includes('--check')) writeFileSync(FILE, wanted);
else if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== wanted) {
  console.error(`${FILE} is not what the bundles say: npm run build -- notices`);
  process.exitCode = 1;
}
console.log(`${FILE}: ${String(notices.length)} packages, ${String(byText.size)} texts`);
