import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Image } from '../../../src/core/reactors/layer.ts';
import {
  packageOf,
  PackageBundleError,
  writeBundle,
  type PackageBundle,
} from '../../../src/core/reactors/package-bundle.ts';
import type { Surroundings } from '../../command-line/surroundings.ts';
import { BundleError } from '../bundle-error.ts';
import { findEsbuild, type Bundler } from '../find-esbuild.ts';
import { buildPackages, type BuiltPackages } from './build-packages.ts';
import { checkInstalled } from './check-installed.ts';
import { installPackages } from './install-packages.ts';
import { lockSchema, type LockEntry } from './lock.ts';
import { manifestOf, projectFolder, readProject } from './project.ts';
import { pruneLock, type PrunedLock } from './prune-lock.ts';
import { requiredPackages } from './required-packages.ts';

export interface MadeBundle extends Pick<BuiltPackages, 'sizes' | 'warnings'> {
  readonly base64: string;
  readonly bundle: PackageBundle;
}

interface ToBuild {
  readonly bundler: Bundler;
  readonly image: Image;
  readonly specifiers: readonly string[];
  readonly pruned: PrunedLock;
  /** Its `.npmrc` has the registries. */
  readonly project: string | undefined;
  readonly environment: Surroundings['environment'];
}

/** Installs the packages of a lock into a folder of its own, and bundles them. */
async function build({ bundler, image, specifiers, pruned, ...options }: ToBuild): Promise<MadeBundle> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cloakroom-packages-')));
  try {
    await installPackages(folder, pruned, options);
    const { manifest, lock, absent, needed } = pruned;
    checkInstalled(folder, needed);
    const {
      code,
      places: begins,
      ...rest
    } = await buildPackages(bundler, {
      folder,
      image,
      specifiers,
      places: new Set(needed.map(({ place }) => place)),
      absent,
    });
    const written = await writeBundle({
      version: 1,
      image,
      esbuild: bundler.version,
      manifest,
      lock,
      specifiers: [...specifiers],
      code,
      places: begins,
    }).catch((error: unknown) => {
      if (!(error instanceof PackageBundleError)) throw error;
      const largest = rest.sizes
        .filter(({ name }) => name !== '')
        .slice(0, 5)
        .map(({ name, size }) => `${name} has ${size.toLocaleString('en-US')} bytes`);
      throw new BundleError([`the bundle ${error.message}:`, ...largest].join('\n'), { cause: error });
    });
    return { ...written, ...rest };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const MAJOR = /(\d+)/;

/** Says what the lock shows that may not work on an image. */
function warningsOf(packages: Readonly<Record<string, LockEntry>>, pruned: PrunedLock, image: Image) {
  const has = Number(MAJOR.exec(image)?.[1]);
  return Object.keys(pruned.lock.packages).flatMap((place) => {
    const { engines, hasInstallScript } = packages[place] ?? {};
    const node = (engines as { node?: unknown } | undefined)?.node;
    const needs = typeof node === 'string' ? Number(/^\s*>=?\s*(\d+)[^|]*$/.exec(node)?.[1] ?? 0) : 0;
    const name = place.replace(/.*node_modules\//, '');
    return [
      ...(needs > has ? [`${name} says that it needs Node.js ${String(needs)}.`] : []),
      ...(hasInstallScript === true ? [`${name} has an install script, which did not run.`] : []),
    ];
  });
}

/**
 * Bundles the packages that the code in a file requires and the runtime does not have. Resolves
 * with nothing if there are none. Rejects with {@link BundleError}. `file` is absolute.
 */
export async function bundlePackages(
  file: string,
  options: {
    readonly image: Image;
    readonly isLenient: boolean;
    readonly environment: Surroundings['environment'];
  },
): Promise<MadeBundle | undefined> {
  const { image, isLenient, environment } = options;
  const bundler = findEsbuild(file);
  const folder = projectFolder(file);
  const manifest = folder === undefined ? {} : manifestOf(folder);
  const { specifiers, provided } = await requiredPackages(file, bundler, { manifest, isLenient });
  if (specifiers.length === 0) return undefined;
  if (folder === undefined)
    throw new BundleError(`${file} has no package.json beside or above it, which names its packages`);
  const project = readProject(folder);
  const pruned = pruneLock(project, specifiers);
  const made = await build({ bundler, image, specifiers, pruned, project: folder, environment });
  const shared = [...new Set(provided.map(packageOf))].filter((name) =>
    Object.hasOwn(pruned.lock.packages, `node_modules/${name}`),
  );
  return {
    ...made,
    warnings: [
      ...warningsOf(project.lock.packages, pruned, image),
      ...shared.map(
        (name) =>
          `The code gets ${name} of the runtime, and packages their own. Run npm install ${name} for one that they share.`,
      ),
      ...made.warnings,
    ],
  };
}

/**
 * Builds a bundle again of its lock, in the way that made it. Rejects with {@link BundleError} if
 * the result is another one. `folder` is that of a project whose registries have the packages.
 */
export async function verifyBundle(
  bundle: PackageBundle,
  folder: string,
  environment: Surroundings['environment'],
): Promise<void> {
  const { image, specifiers, manifest } = bundle;
  const parsed = lockSchema().safeParse(bundle.lock);
  if (!parsed.success) throw new BundleError('its lock cannot be read');
  // A bundle can have any lock: it is checked as one of a project.
  const pruned = pruneLock({ manifest, lock: parsed.data }, specifiers);
  const bundler = findEsbuild(join(folder, 'package.json'), bundle.esbuild);
  const project = projectFolder(join(folder, 'package.json'));
  const again = await build({ bundler, image, specifiers, pruned, project, environment });
  const { bundle: built } = again;
  if (built.digest === bundle.digest) return;
  const differs = (['manifest', 'lock', 'specifiers', 'places', 'code'] as const).filter(
    (member) => JSON.stringify(built[member]) !== JSON.stringify(bundle[member]),
  );
  throw new BundleError(
    `its packages make another bundle, with the digest ${built.digest} (another ${differs.join(', ')})`,
  );
}
