/** Highest version of a data key: a record has two bytes for it (record-encryption.ts). */
export const KEY_VERSION_MAX = 65_535;

/** A key that wraps the roots of many tenants. The key service encrypts it under its id. */
export interface DeploymentKey {
  readonly id: string;
  readonly wrapped: Buffer;
}

/**
 * A tenant's root key in its stored form. It names the key that wrapped it, so that no other item
 * has to be read. Times are in ms since the epoch.
 */
export interface WrappedRoot {
  readonly wrapped: Buffer;
  /** Absent if the key service itself wrapped the root, under the tenant's id. */
  readonly deploymentKey?: DeploymentKey;
  /** The first version of the data key that is derived from it. */
  readonly since: number;
  readonly addedAt: number;
  /** The time when the service started to encrypt new records under it. Absent while it waits. */
  readonly startedAt?: number;
  /** The time when all lasting data had been encrypted under it and derived from it. */
  readonly settledAt?: number;
  /** The time from which no lasting data was derived from an older root. */
  readonly clearedAt?: number;
}

/** The roots from which all keys of a tenant are derived. */
export interface KeyRing {
  /**
   * Ordered by `since`. There are two while a root is being replaced, and none once the keys are
   * destroyed.
   */
  readonly roots: readonly WrappedRoot[];
  /** The version of the data key that encrypts new records. */
  readonly keyVersion: number;
}

/**
 * The root from which a version of the data key is derived; `undefined` for a version older than
 * all roots.
 */
export function rootOf({ roots }: Pick<KeyRing, 'roots'>, version: number): WrappedRoot | undefined {
  return roots.findLast(({ since }) => since <= version);
}

/** The root that new records use. */
export function currentRoot(ring: KeyRing): WrappedRoot | undefined {
  return rootOf(ring, ring.keyVersion);
}

/**
 * The root by which all lasting data can be found. It is the oldest, until all data was derived
 * from a newer one.
 */
export function settledRoot({ roots }: KeyRing): WrappedRoot | undefined {
  return roots.findLast(({ settledAt }) => settledAt !== undefined) ?? roots[0];
}

/**
 * The roots by which an instance may still search. These are all, until every instance knows that a
 * newer one is settled. Every instance knows it if it was settled no later than `settledBefore` (ms
 * since the epoch).
 */
export function searchedRoots({ roots }: KeyRing, settledBefore: number): readonly WrappedRoot[] {
  const first = roots.findLastIndex(({ settledAt = Infinity }) => settledAt <= settledBefore);
  return roots.slice(Math.max(first, 0));
}

/** Whether the keys of a tenant are destroyed. Its other records are deleted after them. */
export function isDestroyed({ roots }: KeyRing): boolean {
  return roots.length === 0;
}
