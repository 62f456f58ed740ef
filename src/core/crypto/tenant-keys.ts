import type { KeyObject } from 'node:crypto';
import type { Clock } from '../shared/clock.ts';
import { ServiceError } from '../shared/service-error.ts';
import { deriveKey, type KeyPurpose } from './derive-key.ts';
import {
  currentRoot,
  rootOf,
  searchedRoots,
  settledRoot,
  type KeyRing,
  type WrappedRoot,
} from './key-ring.ts';
import type { KeyService } from './key-service.ts';
import type { DataKey } from './record-seal.ts';

/** Reads what a tenant's keys are derived from; `undefined` for a tenant that does not exist. */
export interface KeyRingStore {
  keyRing(tenantId: string): Promise<KeyRing | undefined>;
}

/**
 * How long a ring and its unwrapped roots may stay in memory, in milliseconds
 * (docs/security.md#keys).
 */
export const KEY_LIFETIME_MS = 5 * 60 * 1000;

/**
 * By then every instance has forgotten a ring that it read before, and answered what it was doing
 * with it, in ms.
 */
export const FORGOTTEN_MS = KEY_LIFETIME_MS + 60_000;

/**
 * The tenants' keys in plaintext: the root is unwrapped on first use, everything else is derived
 * from it, and nothing of it is used after {@link KEY_LIFETIME_MS}.
 */
export interface TenantKeys {
  /**
   * The key that new records of the purpose are made with, with the version that leads back to it.
   */
  current(tenantId: string, purpose: KeyPurpose): Promise<DataKey>;
  /** The key that made an old record, by the version in it. */
  version(tenantId: string, purpose: KeyPurpose, version: number): Promise<DataKey>;
  /**
   * The key of the purpose under each root, the oldest first: there are two while a root is being
   * replaced, and one otherwise.
   */
  all(tenantId: string, purpose: Exclude<KeyPurpose, 'data'>): Promise<readonly KeyObject[]>;
  /** Those of them that some instance may still look for something by: see `searchedRoots`. */
  searched(tenantId: string, purpose: Exclude<KeyPurpose, 'data'>): Promise<readonly DataKey[]>;
  /** The key of the purpose that everything which lasts can be found by: see `settledRoot`. */
  settled(tenantId: string, purpose: Exclude<KeyPurpose, 'data'>): Promise<KeyObject>;
  /** {@link current}, read anew: for who must not take a key that has been replaced meanwhile. */
  newest(tenantId: string, purpose: KeyPurpose): Promise<DataKey>;
  /** Whether the tenant's ring is remembered: then nobody needs to read it along. */
  holds(tenantId: string): boolean;
  /**
   * Takes over a ring that was read anyway, and starts to unwrap its roots, so that they are there
   * when they are needed.
   */
  learn(tenantId: string, ring: KeyRing): void;
}

interface Held<T> {
  readonly value: T;
  readonly until: number;
}

/** Values that are forgotten after {@link KEY_LIFETIME_MS}. */
class Memory<T> {
  readonly #held = new Map<string, Held<T>>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): T | undefined {
    const known = this.#held.get(key);
    return known !== undefined && known.until > this.#clock() ? known.value : undefined;
  }

  set(key: string, value: T): T {
    const now = this.#clock();
    for (const [other, { until }] of this.#held) if (until <= now) this.#held.delete(other);
    this.#held.set(key, { value, until: now + KEY_LIFETIME_MS });
    return value;
  }

  /** Forgets a value, unless another one has taken its place. */
  drop(key: string, value: T): void {
    if (this.#held.get(key)?.value === value) this.#held.delete(key);
  }
}

/** An unwrapped root with what was derived from it, which is forgotten together with it. */
interface Root {
  readonly key: KeyObject;
  readonly derived: Map<string, KeyObject>;
}

function derivedFrom({ key, derived }: Root, purpose: KeyPurpose, version: number): KeyObject {
  const name = `${purpose} ${String(purpose === 'data' ? version : 0)}`;
  const known = derived.get(name);
  if (known !== undefined) return known;
  const made = deriveKey(key, purpose, version);
  derived.set(name, made);
  return made;
}

/**
 * Somebody has destroyed the tenant since the caller was identified: nobody's key is good for it
 * any more.
 */
const gone = () => new ServiceError('unauthenticated', 'The API key is not valid.');

/**
 * What a purpose writes into its records: the version of the data key, or the first version of the
 * root, which leads to it as well.
 */
function versionFor(ring: KeyRing, purpose: KeyPurpose): number {
  return purpose === 'data' ? ring.keyVersion : (currentRoot(ring)?.since ?? ring.keyVersion);
}

/**
 * Whether a version is one that the ring knows of: the newest root may be waiting for its first.
 */
const reaches = ({ keyVersion, roots }: KeyRing, version: number): boolean =>
  version <= Math.max(keyVersion, roots.at(-1)?.since ?? 0);

/**
 * Tenant keys over a key service and a store of rings. Rejects with `dependency_unavailable` when
 * either is down, and with `unauthenticated` for a tenant that does not exist or was destroyed; a
 * version that no root gives is an unexpected error.
 */
export function createTenantKeys(deps: {
  readonly keyService: KeyService;
  readonly keyRingStore: KeyRingStore;
  readonly clock: Clock;
}): TenantKeys {
  const rings = new Memory<Promise<KeyRing>>(deps.clock);
  const roots = new Memory<Promise<Root>>(deps.clock);

  /** Shared by all who ask at once; a load that fails is not kept. */
  function remember<T>(memory: Memory<Promise<T>>, name: string, load: () => Promise<T>): Promise<T> {
    const value = memory.set(name, load());
    value.catch(() => {
      memory.drop(name, value);
    });
    return value;
  }

  function readRing(tenantId: string): Promise<KeyRing> {
    return remember(rings, tenantId, async () => {
      const ring = await deps.keyRingStore.keyRing(tenantId);
      if (ring === undefined) throw gone();
      return ring;
    });
  }

  const ringOf = (tenantId: string) => rings.get(tenantId) ?? readRing(tenantId);

  function unwrap(tenantId: string, { wrapped }: WrappedRoot): Promise<Root> {
    const name = `${tenantId} ${wrapped.toString('base64')}`;
    return (
      roots.get(name) ??
      remember(roots, name, async () => ({
        key: await deps.keyService.unwrapKey(wrapped, { tenant: tenantId }),
        derived: new Map<string, KeyObject>(),
      }))
    );
  }

  async function keyOf(tenantId: string, ring: KeyRing, purpose: KeyPurpose, version: number) {
    if (ring.roots.length === 0) throw gone();
    const root = reaches(ring, version) ? rootOf(ring, version) : undefined;
    if (root === undefined) throw new Error(`tenant keys: no root for version ${String(version)}`);
    return { version, key: derivedFrom(await unwrap(tenantId, root), purpose, version) };
  }

  const currentOf = (tenantId: string, ring: KeyRing, purpose: KeyPurpose) =>
    keyOf(tenantId, ring, purpose, versionFor(ring, purpose));

  return {
    current: async (tenantId, purpose) => currentOf(tenantId, await ringOf(tenantId), purpose),
    newest: async (tenantId, purpose) => currentOf(tenantId, await readRing(tenantId), purpose),

    async version(tenantId, purpose, version) {
      const ring = await ringOf(tenantId);
      // A version that is not remembered is newer than what is: somebody has rotated the key
      // meanwhile.
      return keyOf(tenantId, reaches(ring, version) ? ring : await readRing(tenantId), purpose, version);
    },

    async all(tenantId, purpose) {
      const ring = await ringOf(tenantId);
      return Promise.all(
        ring.roots.map(async (root) => (await keyOf(tenantId, ring, purpose, root.since)).key),
      );
    },

    async searched(tenantId, purpose) {
      const ring = await ringOf(tenantId);
      const found = searchedRoots(ring, deps.clock() - FORGOTTEN_MS);
      return Promise.all(found.map(({ since }) => keyOf(tenantId, ring, purpose, since)));
    },

    async settled(tenantId, purpose) {
      const ring = await ringOf(tenantId);
      return (await keyOf(tenantId, ring, purpose, settledRoot(ring)?.since ?? 0)).key;
    },

    holds: (tenantId) => rings.get(tenantId) !== undefined,

    learn(tenantId, ring) {
      void rings.set(tenantId, Promise.resolve(ring));
      // What fails here is asked for again, and told, where it is needed.
      for (const root of ring.roots) unwrap(tenantId, root).catch(() => undefined);
    },
  };
}
