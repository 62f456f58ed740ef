// `npm run build -- notices`: THIRD-PARTY-NOTICES.md, the licences of all code of others that a
// deployment runs: what is bundled into the functions and into the layer of reactors. `--check`
// compares instead of writing.
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { format, resolveConfig } from 'prettier';
import { BUNDLE_OPTIONS } from '../lib/bundle.ts';
import { AUTHOR_PACKAGES } from '../reactor-runtime/packages.ts';

const FILE = 'THIRD-PARTY-NOTICES.md';
/**
 * Permissive licences. A package under another one fails the check until a person has looked at it.
 */
const ALLOWED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'Unlicense'];

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

/** The folder of the package that a file belongs to; `undefined` for our own. */
function packageFolder(file: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}

function noticeOf(folder: string): Notice {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  if (license === undefined || !ALLOWED.includes(license))
    throw new Error(`${name} has the licence ${String(license)}, which no one has looked at`);
  const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: folder }).toSorted();
  const text =
    file === undefined
      ? `The package names its licence, ${license}, and has no text of it.`
      : readFileSync(join(folder, file), 'utf8');
  return { name, version, license, text: text.replaceAll('\r\n', '\n').trim() };
}

const deployed = [
  ...globSync('functions/*/index.ts').map((file) => `./${file}`),
  './reactor-runtime/loop/loop.ts',
  './reactor-runtime/worker/worker.ts',
  // Authors of reactors may require these.
  ...AUTHOR_PACKAGES.flatMap(({ specifiers }) => specifiers),
];
const folders = new Set(bundledFiles(deployed).flatMap((file) => packageFolder(file) ?? []));
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
<https://github.com/nodejs/node/blob/v16.20.2/LICENSE>. \`@cloakroom/sdk\` holds no code of others.

| Package | Version | Licence |
| --- | --- | --- |
${rows.join('\n')}

${texts.join('\n\n')}
`;
const wanted = await format(page, { ...(await resolveConfig(FILE)), filepath: FILE });

if (!process.argv.includes('--check')) writeFileSync(FILE, wanted);
else if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== wanted) {
  console.error(`${FILE} is not what the bundles say: npm run build -- notices`);
  process.exitCode = 1;
}
console.log(`${FILE}: ${String(notices.length)} packages, ${String(byText.size)} texts`);
