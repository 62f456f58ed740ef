// `npm run build -- notices`: THIRD-PARTY-NOTICES.md, the licences of all third-party code in the
// bundles and the layer of reactors. `--check` compares instead of writing.
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { BUNDLE_OPTIONS } from './assets/bundle.ts';
import { AUTHOR_PACKAGES } from '../src/core/reactors/author-packages.ts';
import { buildConsole } from './build-console.ts';
import { formatted } from './formatted.ts';
import { byTextOf, filesOf, noticesOf } from './publishing/third-party.ts';

const FILE = 'THIRD-PARTY-NOTICES.md';
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
  return filesOf(metafile);
}

const deployed = [
  ...globSync('functions/*/index.ts').map((file) => `./${file}`),
  './reactor-runtime/loop/loop.ts',
  './reactor-runtime/worker/worker.ts',
  // Authors of reactors may require these.
  ...AUTHOR_PACKAGES.flatMap(({ specifiers }) => specifiers),
];
/** The page that a deployment may serve, with what it loads on demand. */
async function consoleFiles(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-console-'));
  try {
    return filesOf((await buildConsole(folder)).metafile);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Packages whose data is in a generated file (src/core/tokens/types/card-ranges.ts). */
const COPIED = ['node_modules/credit-card-type'];
const notices = noticesOf([...bundledFiles(deployed), ...(await consoleFiles())], COPIED);
const byText = byTextOf(notices);
const texts = byText.map(({ text, names }) => `## ${names}\n\n\`\`\`text\n${text}\n\`\`\``);
const rows = notices.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`);
const page = `# Third-party notices

Code of others that a deployment runs: bundled into the functions, into the layer of reactors and into the console. \`npm run build -- notices\` writes this
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
console.log(`${FILE}: ${String(notices.length)} packages, ${String(byText.length)} texts`);
