/** A tenant's root key as it is stored: encrypted by the key service under the tenant's id. */
export interface WrappedRoot {
  readonly wrapped: Buffer;
  /** The first version of the data key that is derived from it. */
  readonly since: number;
  /** Ms since the epoch. */
  readonly addedAt: number;
  /** From when on new records are sealed under it, in ms since the epoch; absent while it waits. */
  readonly startedAt?: number;
}

/** What all keys of a tenant are derived from. */
export interface KeyRing {
  /** By `since`. Two while a root is being replaced; none once the tenant's keys were destroyed. */
  readonly roots: readonly WrappedRoot[];
  /** The version of the data key that seals new records. */
  readonly keyVersion: number;
  /** First version of the root that everything which lasts is sealed under and derived from, if somebody has made sure of it. */
  readonly resealedSince?: number;
}

/** The root that a version of the data key is derived from; `undefined` for a version from before all roots. */
export function rootOf({ roots }: Pick<KeyRing, 'roots'>, version: number): WrappedRoot | undefined {
  return roots.findLast(({ since }) => since <= version);
}

/** The root that everything which lasts can be found by: the oldest, until all of it was derived from another one. */
export function settledRoot({ roots, resealedSince }: KeyRing): WrappedRoot | undefined {
  return rootOf({ roots }, resealedSince ?? 0) ?? roots[0];
}

/** The root of new records. */
export function currentRoot(ring: KeyRing): WrappedRoot | undefined {
  return rootOf(ring, ring.keyVersion);
}
