// `npm run docs -- [FOLDER] [--base PATH] [--api URL]` builds the documentation as a site of static
// files. A folder that was built from the same sources stays as it is.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { SiteConfig } from './docs/site-config.ts';
import { drawDiagram } from './docs/diagrams.ts';
import { finishSite } from './docs/finish-site.ts';
import { siteReference, type OpenApiDocument } from './docs/site-reference.ts';
import { navigationOf, sitePage } from './docs/site-pages.ts';
import { readArguments } from './read-arguments.ts';

const ROOT = join(import.meta.dirname, '..');
/** Figures and reasons have every word of the field, and would hide the pages with answers. */
const UNSEARCHED = /^(?:decisions|performance)(?:\/|$)|changelog$/;
/** Has a digest of the sources, in the built folder. */
const DIGEST = '.sources';

/** Begins the names of the folders of builds. */
const WORK = 'cloakroom-docs-';
/** A build that was killed leaves its folder. */
const LEFT_AFTER_MS = 3_600_000;

const USAGE = `npm run docs -- [FOLDER] [--base PATH] [--api URL]
  Builds the documentation as a site of static files, into dist/docs by default. PATH is where it is
  served; "try it" calls the service at URL.`;

const { values, positionals } = readArguments(USAGE, {
  allowPositionals: true,
  options: { base: { type: 'string', default: '/' }, api: { type: 'string', default: '' } },
});
const target = resolve(positionals[0] ?? 'dist/docs');
const base = `/${values.base.replaceAll(/^\/|\/$/g, '')}/`.replace('//', '/');

/** Ends the program before the build: a stack trace would hide the words. */
function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

if (!/^\/?(?:(?!\.)[\w.~-]+(?:\/(?!\.)[\w.~-]+)*)?\/?$/.test(values.base))
  fail(`--base must be a path, not ${values.base}`);
if (!['', '/'].includes(values.api) && !/^https:\/\/[\w.-]+(?::\d+)?(?:\/[\w.~-]+)*\/?$/.test(values.api))
  fail(`--api must be an https address, not ${values.api}`);
// A folder is replaced, so it must be absent, empty, or a site that was built here.
if (existsSync(target) && !existsSync(join(target, DIGEST))) {
  if (!statSync(target).isDirectory()) fail(`${target} is a file`);
  if (readdirSync(target).length > 0) fail(`${target} has files that are no built documentation`);
}

const inRoot = { cwd: ROOT, exclude: ['**/{node_modules,dist}/**'] };
const documents = [
  ...globSync('docs/**/*.md', inRoot),
  ...globSync('{packages,examples}/**/README.md', inRoot),
  ...globSync('packages/{fields,sdk,testing}/CHANGELOG.md', inRoot),
  ...['CHANGELOG.md', 'CONTRIBUTING.md', '.github/SECURITY.md'],
].toSorted();
const text = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** A digest of everything that the site is made of. */
function digest(): string {
  const hash = createHash('sha256').update(JSON.stringify([base, values.api]));
  const sources = globSync('{site,docs,tools/docs}/**', { ...inRoot, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
  const single = ['tools/build-docs.ts', 'src/wire/problem.ts', 'package.json', 'package-lock.json'];
  for (const file of [...new Set([...documents, ...sources, ...single])].toSorted())
    hash.update(`${file}\0`).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex');
}

/** The licences of the packages whose code or styles are in the site. */
function notices(): string {
  const packages = [
    'astro',
    '@astrojs/starlight',
    'starlight-openapi',
    'expressive-code',
    '@pagefind/default-ui',
  ];
  return packages
    .map((name) => {
      const folder = join(ROOT, 'node_modules', name);
      const [licence = ''] = globSync('LICENSE*', { cwd: folder });
      const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        readonly version: string;
        readonly license: string;
      };
      const words = licence === '' ? '' : `\n${readFileSync(join(folder, licence), 'utf8')}`;
      return `${name} ${version}, ${license}\n${words}`;
    })
    .join('\n\n');
}

/** Writes the pages where the generator reads them. */
function writePages(folder: string, { paths }: OpenApiDocument): void {
  const pageOf = (operation: string): string | undefined => {
    const [method = '', path = ''] = operation.split(' ');
    const id = paths[path.replace('+}', '}')]?.[method.toLowerCase()]?.operationId;
    return id === undefined ? undefined : `${base}reference/operations/${id.toLowerCase()}/`;
  };
  const isPage = (file: string) => documents.includes(file);
  for (const file of documents) {
    const page = sitePage(file, text(file), isPage, { base, pageOf, draw: drawDiagram });
    const frontmatter = JSON.stringify({
      title: page.title,
      description: page.description,
      editUrl: false,
      pagefind: !UNSEARCHED.test(page.slug),
      ...(page.slug === '' && { tableOfContents: false }),
      ...(page.slug.startsWith('errors/') && { sidebar: { label: basename(page.slug) } }),
    });
    const path = join(folder, page.slug === '' ? 'index.md' : `${page.slug}.md`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `---\n${frontmatter}\n---\n\n${page.markdown}`);
  }
}

/**
 * Builds in a folder of its own, so that builds at the same time do not meet. It is not in the
 * repository, whose path may have characters that the generator cannot read.
 */
function buildIn(work: string): string {
  const [pages, outDir, openApiFile] = ['pages', 'built', 'openapi.json'].map((name) => join(work, name)) as [
    string,
    string,
    string,
  ];
  const document = JSON.parse(text('docs/openapi.json')) as OpenApiDocument;
  writeFileSync(openApiFile, JSON.stringify(siteReference(document, base)));
  writePages(pages, document);
  const navigation = navigationOf(text('docs/README.md'));
  const config: SiteConfig = { pages, outDir, base, openApiFile, api: values.api, navigation };
  const root = join(work, 'site');
  // Its tsconfig.json extends one of the repository.
  cpSync(join(ROOT, 'site'), root, { recursive: true, filter: (file) => !file.endsWith('tsconfig.json') });
  // Vite finds packages by these two.
  symlinkSync(join(ROOT, 'node_modules'), join(work, 'node_modules'));
  copyFileSync(join(ROOT, 'package.json'), join(work, 'package.json'));
  execFileSync(
    process.execPath,
    ['--preserve-symlinks', '--preserve-symlinks-main', join(root, 'build.ts')],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        CLOAKROOM_DOCS: JSON.stringify(config),
        ASTRO_TELEMETRY_DISABLED: '1',
        // Any other value, such as that of a test, builds pages without a search.
        NODE_ENV: 'production',
      },
    },
  );
  for (const file of globSync('docs/**/*.{webp,json}', { cwd: ROOT })) {
    const copy = join(outDir, file.slice('docs/'.length));
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(ROOT, file), copy);
  }
  writeFileSync(join(outDir, 'third-party-notices.txt'), notices());
  finishSite(outDir, config);
  writeFileSync(join(outDir, DIGEST), digest());
  return outDir;
}

/** A reader of the folder gets the old site or the new one. */
function replaceSite(built: string): void {
  const next = `${target}.${String(process.pid)}`;
  const former = `${next}.former`;
  mkdirSync(dirname(target), { recursive: true });
  cpSync(built, next, { recursive: true });
  if (existsSync(target)) renameSync(target, former);
  renameSync(next, target);
  rmSync(former, { recursive: true, force: true });
}

function buildSite(): void {
  for (const left of globSync(`${WORK}*`, { cwd: tmpdir() }).map((name) => join(tmpdir(), name)))
    if (Date.now() - statSync(left).mtimeMs > LEFT_AFTER_MS) rmSync(left, { recursive: true, force: true });
  const work = mkdtempSync(join(tmpdir(), WORK));
  try {
    replaceSite(buildIn(work));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const isCurrent = existsSync(join(target, DIGEST)) && readFileSync(join(target, DIGEST), 'utf8') === digest();
if (!isCurrent) buildSite();
console.log(target);
