import { isPackageName } from '../../../src/core/reactors/package-bundle.ts';
import { BundleError } from '../bundle-error.ts';
import type { Manifest } from './lock.ts';
import { isOfRegistry } from './registry-spec.ts';

/** The name in a key of `overrides`, which may end with a range. */
const KEY = /^((?:@[^@/]+\/)?[^@/]+)(?:@(.+))?$/;

const DEPTH = 10;

const refused = (key: string) =>
  new BundleError(
    `overrides of package.json name another place than a registry for ${key}. A bundle has packages of registries alone`,
  );

/** The range of a value: `$name` means the one of a dependency (docs.npmjs.com). */
function rangeOf(key: string, value: string, manifest: Manifest): string {
  const name = value.startsWith('$') ? value.slice(1) : undefined;
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest;
  const all = { ...devDependencies, ...peerDependencies, ...optionalDependencies, ...dependencies };
  const range = name === undefined ? value : Object.hasOwn(all, name) ? (all[name] ?? '') : undefined;
  if (range === undefined || !isOfRegistry(range)) throw refused(key);
  return range;
}

function pruned(
  value: unknown,
  manifest: Manifest,
  names: ReadonlySet<string>,
  depth: number,
): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > DEPTH)
    throw new BundleError('overrides of package.json cannot be read');
  const entries = Object.entries(value).flatMap<[string, unknown]>(([key, member]: [string, unknown]) => {
    const [, name = '', range = ''] = KEY.exec(key) ?? [];
    if (key !== '.' && !(isPackageName(name) && isOfRegistry(range))) throw refused(JSON.stringify(key));
    if (key !== '.' && !names.has(name)) return [];
    const rest =
      typeof member === 'string'
        ? rangeOf(key, member, manifest)
        : pruned(member, manifest, names, depth + 1);
    return [[key, rest]];
  });
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Returns the overrides of packages with these names. Throws {@link BundleError} for one that is
 * from elsewhere than a registry.
 */
export function prunedOverrides(manifest: Manifest, names: ReadonlySet<string>): object | undefined {
  if (manifest.overrides === undefined) return undefined;
  const overrides = pruned(manifest.overrides, manifest, names, 0);
  return Object.keys(overrides).length === 0 ? undefined : overrides;
}
