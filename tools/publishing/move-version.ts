import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { datedEntry, hasTwoEntries } from './changelog.ts';
import {
  changelogsOf,
  readManifest,
  sharedMembers,
  workspacesOf,
  type Manifest,
} from './published-packages.ts';

const DEPENDENCIES = ['dependencies', 'devDependencies', 'peerDependencies'] as const;
const VERSION = /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)$/;

type Members = Readonly<Record<string, unknown>>;

/** Gives a package this version, and makes it require exactly this version of `names`. */
function moved(members: Members, version: string, names: readonly string[]): Members {
  const dependencies = DEPENDENCIES.filter((kind) => members[kind] !== undefined).map((kind) => {
    const entries = Object.entries(members[kind] as Readonly<Record<string, string>>);
    return [
      kind,
      Object.fromEntries(entries.map(([name, spec]) => [name, names.includes(name) ? version : spec])),
    ];
  });
  return { ...members, version, ...(Object.fromEntries(dependencies) as Members) };
}

function isHigher(version: string, current: string): boolean {
  const [now, before] = [version, current].map((text) => text.split('.').map(Number));
  const at = now?.findIndex((part, index) => part !== before?.[index]) ?? -1;
  return at >= 0 && (now?.[at] ?? 0) > (before?.[at] ?? 0);
}

/** Throws unless the version may follow the current one, and each changelog can have its entry. */
function checkMove(root: string, version: string, current: string, tags: readonly string[]): void {
  const isPending = version === current && !tags.includes(`v${version}`);
  if (!isPending && !(VERSION.test(version) && isHigher(version, current)))
    throw new RangeError(`${version} is not a version X.Y.Z above ${current}`);
  const double = changelogsOf(root).find((file) =>
    hasTwoEntries(readFileSync(join(root, file), 'utf8'), version),
  );
  if (double !== undefined)
    throw new RangeError(`${double} has an entry of ${version} beside "Unreleased": make one of both`);
}

/**
 * Writes the version into every package of the repository, their dependencies on each other, the
 * lockfile, the OpenAPI document, the changelogs, and the names of tarballs in the documentation.
 * Writes the members that the root package.json decides into the packages, too. Without a version
 * it does only that. Throws for a version that is not higher than the current one. The current one
 * may come again as long as the tags lack it, which dates its entries.
 */
export function moveVersion(
  root: string,
  version: string | undefined,
  date: string,
  tags: readonly string[],
): void {
  const service = readManifest(root);
  const next = version ?? service.version;
  if (version !== undefined) checkMove(root, version, service.version, tags);
  const workspaces = workspacesOf(root);
  const names = workspaces.map(({ manifest }) => manifest.name);
  const edit = (file: string, change: (text: string) => string) => {
    const path = join(root, file);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
  };
  const editJson = (file: string, change: (value: Members) => Members) => {
    edit(file, (text) => `${JSON.stringify(change(JSON.parse(text) as Members), null, 2)}\n`);
  };

  editJson('package.json', (members) => moved(members, next, names));
  for (const { directory, manifest } of workspaces)
    editJson(join(directory, 'package.json'), (members) => {
      const own = moved(members, next, names);
      const shared = sharedMembers({ ...service, version: next } satisfies Manifest, directory);
      return manifest.private === true ? own : { ...own, ...shared };
    });
  editJson('package-lock.json', (lock) => {
    const packages = Object.entries(lock['packages'] as Readonly<Record<string, Members>>);
    const ours = ['', ...workspaces.map(({ directory }) => directory)];
    const entries = packages.map(([path, entry]) => [
      path,
      ours.includes(path) ? moved(entry, next, names) : entry,
    ]);
    return { ...lock, version: next, packages: Object.fromEntries(entries) as Members };
  });
  if (version === undefined) return;
  edit('src/core/shared/service-version.ts', (text) => text.replace(`'${service.version}'`, `'${version}'`));
  // Its own format is not that of `JSON.stringify`.
  edit('docs/openapi.json', (text) =>
    text.replaceAll(`version": "${service.version}"`, `version": "${version}"`),
  );
  for (const file of changelogsOf(root)) edit(file, (text) => datedEntry(text, version, date));
  const tarball = new RegExp(`(cloakroom-[a-z]+-)${service.version.replaceAll('.', '\\.')}(?=\\.tgz)`, 'g');
  for (const file of globSync(['docs/*.md', 'docs/guides/*.md', 'packages/*/README.md'], { cwd: root }))
    edit(file, (text) => text.replace(tarball, `$1${version}`));
}
