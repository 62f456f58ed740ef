// `npm run release`: makes the release of the version in package.json, and its tag. It runs no
// test: .github/workflows/release.yml runs all checks on the tag, and calls this to publish.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCdk } from './build-cdk.ts';
import { buildCli } from './build-cli.ts';
import { buildFields } from './build-fields.ts';
import { buildSdk } from './build-sdk.ts';
import { buildTesting } from './build-testing.ts';
import { PUBLISHED_NODES, reactorNode } from '../lib/reactor-node.ts';
import { fetchReactorNode } from './assets/reactor-node.ts';
import { billOfMaterials } from './publishing/bill-of-materials.ts';
import { entryOf, notesOf } from './publishing/changelog.ts';
import { checksumsOf } from './publishing/checksums.ts';
import { packPackage } from './publishing/pack-package.ts';
import { changelogsOf, publishedPackages, readManifest } from './publishing/published-packages.ts';
import { releaseProblem, type ReleaseState } from './publishing/release-problem.ts';
import { readArguments } from './read-arguments.ts';

const USAGE = `npm run release [-- --publish]
  Makes the release of the version in package.json from a clean main: packages, checksums, bill of
  materials and notes in dist/release, and the tag. --publish pushes the tag, unless a workflow runs
  on it, and creates the release on GitHub.`;

const { values } = readArguments(USAGE, { options: { publish: { type: 'boolean', default: false } } });

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'dist', 'release');

const BUILDS: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  'packages/cdk': buildCdk,
  'packages/cli': buildCli,
  'packages/fields': buildFields,
  'packages/sdk': buildSdk,
  'packages/testing': buildTesting,
};

const git = (...args: readonly string[]) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
/** Returns the output of a command; an empty text if it fails. */
const tried = (program: string, ...args: readonly string[]) => {
  const { status, stdout } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
};
const isAncestor = (commit: string, branch: string) =>
  spawnSync('git', ['merge-base', '--is-ancestor', commit, branch], { cwd: ROOT }).status === 0;

function stateOf(version: string): ReleaseState {
  const read = (file: string) => [file, readFileSync(join(ROOT, file), 'utf8')] as const;
  const tagged = tried('git', 'rev-parse', '--quiet', '--verify', `refs/tags/v${version}^{commit}`);
  return {
    version,
    changelogs: new Map(changelogsOf(ROOT).map(read)),
    changed: git('status', '--porcelain')
      .split('\n')
      .filter((line) => line !== ''),
    branch: git('branch', '--show-current'),
    head: git('rev-parse', 'HEAD'),
    tagged: tagged === '' ? undefined : tagged,
    isOnMain: isAncestor('HEAD', 'origin/main'),
    today: new Date().toISOString().slice(0, 10),
  };
}

/**
 * Builds each package outside of the repository, and packs it into the folder of the release.
 * Packages with the Node of reactors are made of what the registry has.
 */
async function packAll(): Promise<void> {
  for (const { image, platform, packageName } of PUBLISHED_NODES) {
    await fetchReactorNode(image, platform);
    reactorNode(image, platform).verified();
    packPackage(join(ROOT, 'packages', packageName), FOLDER);
  }
  for (const { directory } of publishedPackages(ROOT)) {
    const build = BUILDS[directory];
    if (build === undefined) throw new Error(`tools/release.ts has no build of ${directory}`);
    const folder = mkdtempSync(join(tmpdir(), 'cloakroom-release-'));
    try {
      await build(folder);
      packPackage(folder, FOLDER);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** Writes everything that a release has, and returns the names of the files to attach to it. */
async function makeRelease({ version, changelogs }: ReleaseState): Promise<readonly string[]> {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  await packAll();
  writeFileSync(
    join(FOLDER, 'sbom.cdx.json'),
    billOfMaterials(ROOT, git('show', '--no-patch', '--format=%cI')),
  );
  const attached = readdirSync(FOLDER);
  const bytes = new Map(attached.map((name) => [name, readFileSync(join(FOLDER, name))] as const));
  writeFileSync(join(FOLDER, 'SHA256SUMS'), checksumsOf(bytes));
  const entry = entryOf(changelogs.get('CHANGELOG.md') ?? '', version)?.text ?? '';
  const { homepage } = readManifest(ROOT);
  writeFileSync(join(FOLDER, 'notes.md'), notesOf(entry, `${String(homepage)}/blob/v${version}`));
  return [...attached, 'SHA256SUMS'];
}

/** Runs a command that prints its own failure, which ends this program. */
function run(program: string, ...args: readonly string[]): void {
  const { status } = spawnSync(program, args, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

function publish(tag: string, attached: readonly string[]): void {
  const isOfWorkflow = process.env['GITHUB_REF'] === `refs/tags/${tag}`;
  if (!isOfWorkflow) run('git', 'push', '--atomic', 'origin', 'main', tag);
  // A person may have published from a machine, and their tag has started the workflow.
  if (tried('gh', 'release', 'view', tag) !== '') {
    console.log(`${tag} is published already`);
    return;
  }
  const files = attached.map((name) => join(FOLDER, name));
  run(
    'gh',
    ...['release', 'create', tag, '--verify-tag', '--title', tag],
    ...['--notes-file', join(FOLDER, 'notes.md')],
    ...files,
  );
}

const { version } = readManifest(ROOT);
const tag = `v${version}`;
const state = stateOf(version);
const problem =
  values.publish && tried('gh', '--version') === ''
    ? '--publish needs gh, the client of GitHub: install it, or push the tag and let the workflow publish'
    : releaseProblem(state);
if (problem !== undefined) {
  console.error(problem);
  process.exitCode = 1;
} else {
  const attached = await makeRelease(state);
  if (state.tagged === undefined) git('tag', '--annotate', '--message', `Cloakroom ${version}`, tag);
  console.log(`${tag}: dist/release has ${attached.join(', ')} and notes.md`);
  if (values.publish) publish(tag, attached);
  else console.log(`Publish it: git push --atomic origin main ${tag}`);
}
