import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PUBLISHED_NODES } from '../../lib/reactor-node.ts';

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly [member: string]: unknown;
}

interface Workspace {
  /** Begins at the root, such as `packages/sdk`. */
  readonly directory: string;
  readonly manifest: Manifest;
}

export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** The folders of packages with a binary of others, whose version is that of the binary. */
export const BINARY_PACKAGES = PUBLISHED_NODES.map(({ packageName }) => `packages/${packageName}`);

/**
 * The packages below `packages` with the version of the service, those that are never published
 * included.
 */
export function workspacesOf(root: string): readonly Workspace[] {
  const directories = globSync('packages/*/package.json', { cwd: root }).map((file) => dirname(file));
  return directories
    .filter((directory) => !BINARY_PACKAGES.includes(directory))
    .sort()
    .map((directory) => ({ directory, manifest: readManifest(join(root, directory)) }));
}

/** The packages that a registry may get. */
export const publishedPackages = (root: string): readonly Workspace[] =>
  workspacesOf(root).filter(({ manifest }) => manifest.private !== true);

/**
 * The members of a package that the root package.json decides. A registry accepts a provenance only
 * if `repository.url` is the repository that the package was built in.
 */
export function sharedMembers(root: Manifest, directory: string): Readonly<Record<string, unknown>> {
  const { version, license, author, homepage, bugs, repository } = root;
  return {
    version,
    license,
    author,
    homepage,
    bugs,
    repository: { ...(repository as object), directory },
    publishConfig: { access: 'public', provenance: true },
  };
}

/** The changelogs of the service and of each published package. */
export const changelogsOf = (root: string): readonly string[] =>
  ['.', ...publishedPackages(root).map(({ directory }) => directory)]
    .map((directory) => join(directory, 'CHANGELOG.md'))
    .filter((file) => existsSync(join(root, file)));
