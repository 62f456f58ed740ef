import { isPackageName } from '../../../src/core/reactors/package-bundle.ts';
import { BundleError } from '../bundle-error.ts';
import { nameAt, placeOf, type Lock, type LockEntry } from './lock.ts';
import { isOfRegistry } from './registry-spec.ts';

export interface Reached {
  readonly entry: LockEntry;
  /** The place of the package that requires it first; `''` is the code. */
  readonly by: string;
  /** Every package on a way to it works without it. */
  readonly isOptional: boolean;
}

interface Edge {
  readonly name: string;
  readonly isOptional: boolean;
}

/** The packages that a package requires, by the kinds of npm. */
function edgesOf(entry: LockEntry): readonly Edge[] {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = entry;
  const { peerDependenciesMeta: meta = {} } = entry;
  const isOptionalPeer = (name: string) => Object.hasOwn(meta, name) && meta[name]?.optional === true;
  const required = Object.keys(dependencies).filter((name) => !Object.hasOwn(optionalDependencies, name));
  // npm installs no optional peer that nothing else requires.
  const peers = Object.keys(peerDependencies).filter((name) => !isOptionalPeer(name));
  return [
    ...[...required, ...peers].map((name) => ({ name, isOptional: false })),
    ...Object.keys(optionalDependencies).map((name) => ({ name, isOptional: true })),
  ];
}

/** Throws {@link BundleError} for a name or range that npm would take from elsewhere. */
function checkRanges(place: string, entry: LockEntry): void {
  const all = { ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies };
  for (const [name, spec] of Object.entries(all)) {
    if (!isPackageName(name))
      throw new BundleError(
        `${nameAt(place)} requires ${JSON.stringify(name)}, which is no name of a package`,
      );
    if (!isOfRegistry(spec))
      throw new BundleError(
        `${nameAt(place)} requires ${name} from elsewhere than a registry. A bundle has packages of registries alone`,
      );
  }
}

/**
 * Returns the packages of a lock that these names reach, by their places. Throws
 * {@link BundleError}.
 */
export function reachable(lock: Lock, names: readonly string[]): ReadonlyMap<string, Reached> {
  const found = new Map<string, Reached>();
  const waiting: { readonly from: string; readonly edge: Edge }[] = [];
  const optional: typeof waiting = [];
  const add = (from: string, edges: readonly Edge[]) => {
    for (const edge of edges) (edge.isOptional ? optional : waiting).push({ from, edge });
  };
  add(
    '',
    names.map((name) => ({ name, isOptional: false })),
  );
  // Required packages are found first, so that none of them counts as optional.
  for (let isOptional = false; ;) {
    const next = waiting.shift();
    if (next === undefined) {
      if (optional.length === 0) return found;
      isOptional = true;
      waiting.push(...optional.splice(0));
      continue;
    }
    const { from, edge } = next;
    const place = placeOf(lock, edge.name, from);
    if (place === undefined) {
      if (edge.isOptional) continue;
      const by = from === '' ? 'the code' : nameAt(from);
      throw new BundleError(`package-lock.json lacks ${edge.name}, which ${by} requires. Run: npm install`);
    }
    const entry = lock.packages[place];
    if (entry === undefined || found.has(place)) continue;
    checkRanges(place, entry);
    found.set(place, { entry, by: from, isOptional });
    add(place, edgesOf(entry));
  }
}
