import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** Whether `version` is higher than `current`. */
function isHigher(version: string, current: string): boolean {
  const [now, before] = [version, current].map((text) => text.split('.').map(Number));
  const at = now?.findIndex((part, index) => part !== before?.[index]) ?? -1;
  return at >= 0 && (now?.[at] ?? 0) > (before?.[at] ?? 0);
}

/** Puts the entries of "Unreleased" below the version. */
function released(changelog: string, version: string, date: string): string {
  const heading = `## [${version}] - ${date}`;
  if (/^## \[Unreleased\]$/m.test(changelog)) return changelog.replace(/^## \[Unreleased\]$/m, heading);
  const section = `${heading}\n\nNothing in this package changed.\n\n`;
  return changelog.replace(/^(?=## \[)/m, section);
}

/**
 * Writes the version into every package of the repository, their dependencies on each other, the
 * lockfile, the OpenAPI document, the changelogs, and the names of tarballs in the documentation.
 * Writes the members that the root package.json decides into the packages, too. Without a version
 * it does only that. Throws for a version that is not higher than the current one.
 */
export function moveVersion(root: string, version: string | undefined, date: string): void {
  const service = readManifest(root);
  const next = version ?? service.version;
  if (version !== undefined && !(VERSION.test(version) && isHigher(version, service.version)))
    throw new RangeError(`${version} is not a version X.Y.Z above ${service.version}`);
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
  // Its own format is not that of `JSON.stringify`.
  edit('docs/openapi.json', (text) =>
    text.replace(`"version": "${service.version}"`, `"version": "${version}"`),
  );
  for (const file of changelogsOf(root)) edit(file, (text) => released(text, version, date));
  const tarball = new RegExp(`(cloakroom-[a-z]+-)${service.version.replaceAll('.', '\\.')}(?=\\.tgz)`, 'g');
  for (const file of globSync(['docs/*.md', 'docs/guides/*.md', 'packages/*/README.md'], { cwd: root }))
    edit(file, (text) => text.replace(tarball, `$1${version}`));
}
