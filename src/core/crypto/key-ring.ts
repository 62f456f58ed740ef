/** Versions of a data key that a record has room for: two bytes (record-seal.ts). */
export const KEY_VERSION_MAX = 65_535;

/**
 * A tenant's root key as it is stored: encrypted by the key service under the tenant's id. Times in
 * ms since the epoch.
 */
export interface WrappedRoot {
  readonly wrapped: Buffer;
  /** The first version of the data key that is derived from it. */
  readonly since: number;
  readonly addedAt: number;
  /** From when on new records are sealed under it; absent while it waits. */
  readonly startedAt?: number;
  /** From when on everything that lasts is sealed under it and derived from it. */
  readonly settledAt?: number;
  /** From when on nothing that lasts is derived from an older one beside. */
  readonly clearedAt?: number;
}

/** What all keys of a tenant are derived from. */
export interface KeyRing {
  /** By `since`. Two while a root is being replaced; none once the tenant's keys were destroyed. */
  readonly roots: readonly WrappedRoot[];
  /** The version of the data key that seals new records. */
  readonly keyVersion: number;
}

/**
 * The root that a version of the data key is derived from; `undefined` for a version from before
 * all roots.
 */
export function rootOf({ roots }: Pick<KeyRing, 'roots'>, version: number): WrappedRoot | undefined {
  return roots.findLast(({ since }) => since <= version);
}

/** The root of new records. */
export function currentRoot(ring: KeyRing): WrappedRoot | undefined {
  return rootOf(ring, ring.keyVersion);
}

/**
 * The root that everything which lasts can be found by: the oldest, until all of it was derived
 * from another one.
 */
export function settledRoot({ roots }: KeyRing): WrappedRoot | undefined {
  return roots.findLast(({ settledAt }) => settledAt !== undefined) ?? roots[0];
}

/**
 * The roots that something may still be looked for by: all, until everybody knows since when a
 * newer one is settled (`settledBefore`, a time).
 */
export function searchedRoots({ roots }: KeyRing, settledBefore: number): readonly WrappedRoot[] {
  const first = roots.findLastIndex(({ settledAt = Infinity }) => settledAt <= settledBefore);
  return roots.slice(Math.max(first, 0));
}
