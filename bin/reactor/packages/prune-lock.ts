import {
  isExactVersion,
  isPackageName,
  packageOf,
  PACKAGE_LIMITS,
  type PackageBundle,
} from '../../../src/core/reactors/package-bundle.ts';
import { BundleError } from '../bundle-error.ts';
import { AGAIN, integrityOf } from './lock-integrity.ts';
import { nameAt, type Lock, type LockEntry, type Manifest } from './lock.ts';
import { nativeSignOf } from './native-addons.ts';
import { prunedOverrides } from './overrides.ts';
import { reachable, type Reached } from './reachable.ts';
import { isOfRegistry } from './registry-spec.ts';

/** A package that the code finds. */
export interface NeededPackage {
  readonly place: string;
  readonly name: string;
  readonly version: string;
}

export interface PrunedLock extends Pick<PackageBundle, 'manifest' | 'lock'> {
  /** Native addons that packages work without. Code does not find them. */
  readonly absent: readonly string[];
  readonly needed: readonly NeededPackage[];
}

/**
 * Returns the address without what may be a credential. Throws {@link BundleError} for one that no
 * registry has.
 */
function addressOf(name: string, resolved: string): string {
  const url = URL.parse(resolved);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new BundleError(
      `${name} comes from ${url === null ? 'a folder or file' : url.protocol.slice(0, -1)}. A bundle has packages of registries alone`,
    );
  return `${url.origin}${url.pathname}`;
}

const sorted = <Value>(members: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Throws {@link BundleError} for an entry that does not name one archive of a registry. */
function checkSource(name: string, entry: LockEntry): void {
  if (entry.name !== undefined && !isPackageName(entry.name))
    throw new BundleError(`${name} has another name in package-lock.json, which is no name of npm. ${AGAIN}`);
  if (entry.link === true)
    throw new BundleError(
      `${name} is a link to a folder (file: or a workspace). A bundle has packages of registries alone`,
    );
  if (entry.hasShrinkwrap === true)
    throw new BundleError(`${name} has a lock of its own, whose packages package-lock.json cannot name`);
}

/** An entry of the lock with the members that npm needs. Throws {@link BundleError}. */
function prunedEntry(lock: Lock, place: string, { entry, isOptional }: Reached) {
  const name = nameAt(place);
  const { version, resolved, license } = entry;
  checkSource(name, entry);
  const address = resolved === undefined ? undefined : addressOf(name, resolved);
  if (version === undefined || !isExactVersion(version))
    throw new BundleError(`${name} has no exact version in package-lock.json. ${AGAIN}`);
  const tables = {
    dependencies: entry.dependencies,
    optionalDependencies: entry.optionalDependencies,
    peerDependencies: entry.peerDependencies,
    peerDependenciesMeta: entry.peerDependenciesMeta,
  };
  return {
    ...(entry.name !== undefined && { name: entry.name }),
    version,
    ...(address !== undefined && { resolved: address }),
    ...integrityOf(lock, place, entry),
    ...(typeof license === 'string' && license.length <= 200 && { license }),
    ...(isOptional && { optional: true }),
    ...(entry.bundleDependencies !== undefined && { bundleDependencies: entry.bundleDependencies }),
    ...Object.fromEntries(
      Object.entries(tables).flatMap(([table, members]) =>
        members === undefined ? [] : [[table, sorted<unknown>(members)]],
      ),
    ),
    ...Object.fromEntries(
      (['os', 'cpu', 'libc'] as const).flatMap((member) =>
        entry[member] === undefined ? [] : [[member, entry[member]]],
      ),
    ),
  };
}

/** Returns why a package cannot be required by name, by what package.json says. */
function refusalOf(name: string, manifest: Manifest): string | undefined {
  const isIn = (table: Exclude<keyof Manifest, 'overrides'>) => Object.hasOwn(manifest[table] ?? {}, name);
  if (isIn('optionalDependencies') || (!isIn('dependencies') && isIn('peerDependencies')))
    return 'is optional or a peer in package.json. Move it to dependencies';
  if (isIn('dependencies')) return undefined;
  return isIn('devDependencies')
    ? `is in devDependencies alone. Run: npm install --save-prod ${name}`
    : `is not in dependencies of package.json. Run: npm install ${name}`;
}

/** The dependencies of a manifest with these names. Throws {@link BundleError}. */
function dependenciesOf(
  { manifest, lock }: { readonly manifest: Manifest; readonly lock: Lock },
  names: readonly string[],
): Readonly<Record<string, string>> {
  const refused: string[] = [];
  const ranges = names.map((name) => {
    const range = manifest.dependencies?.[name] ?? '';
    const reason = refusalOf(name, manifest);
    if (reason !== undefined) refused.push(`${name} ${reason}`);
    else if (!isOfRegistry(range))
      refused.push(`${name} is not from a registry: package.json asks for a file, folder, address or git`);
    else if (lock.packages['']?.dependencies?.[name] !== range)
      refused.push(`package-lock.json and package.json ask for different ${name}. Run: npm install`);
    return [name, range] as const;
  });
  if (refused.length > 0) throw new BundleError(refused.join('\n'));
  return Object.fromEntries(ranges);
}

/**
 * Returns the native addons that packages work without. Throws {@link BundleError} for one that a
 * package requires.
 */
function absentOf(reached: ReadonlyMap<string, Reached>): readonly string[] {
  return [...reached].flatMap(([place, { entry, isOptional, by }]) => {
    const sign = nativeSignOf(entry);
    if (sign === undefined) return [];
    if (isOptional) return [nameAt(place)];
    const requiring = by === '' ? '' : `, which ${nameAt(by)} requires,`;
    throw new BundleError(
      `${nameAt(place)}${requiring} is a native addon (${sign}). Reactors cannot load one`,
    );
  });
}

/** The packages that the code finds if some are absent. */
function neededOf({ packages }: Lock, names: readonly string[], absent: readonly string[]) {
  const present = Object.entries(packages).filter(([place]) => !absent.includes(nameAt(place)));
  const found = reachable({ packages: Object.fromEntries(present) }, names);
  return [...found].map(([place, { entry }]) => ({
    place,
    name: entry.name ?? nameAt(place),
    version: entry.version ?? '',
  }));
}

/**
 * Leaves in a lock and its manifest what these names of code reach. It is what npm installs, so
 * whatever would make npm read or run something else is refused. Throws {@link BundleError}, with
 * each reason in a line.
 */
export function pruneLock(
  project: { readonly manifest: Manifest; readonly lock: Lock },
  specifiers: readonly string[],
): PrunedLock {
  const { lock, manifest } = project;
  const names = [...new Set(specifiers.map(packageOf))].toSorted();
  if (names.length > PACKAGE_LIMITS.declared)
    throw new BundleError(
      `the code requires ${String(names.length)} packages, of ${String(PACKAGE_LIMITS.declared)} that a bundle may have`,
    );
  const dependencies = dependenciesOf(project, names);
  const reached = reachable(lock, names);
  if (reached.size > PACKAGE_LIMITS.locked)
    throw new BundleError(
      `the packages need ${String(reached.size)} packages, of ${String(PACKAGE_LIMITS.locked)} that a bundle may have`,
    );
  const found = [...reached].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const entries = found.map(([place, each]) => [place, prunedEntry(lock, place, each)] as const);
  const overrides = prunedOverrides(manifest, new Set(found.map(([place]) => nameAt(place))));
  const absent = absentOf(reached);
  return {
    manifest: { dependencies, ...(overrides !== undefined && { overrides }) },
    lock: {
      lockfileVersion: 3,
      packages: { '': { dependencies }, ...Object.fromEntries(entries) },
    },
    absent,
    needed: neededOf(lock, names, absent),
  };
}
