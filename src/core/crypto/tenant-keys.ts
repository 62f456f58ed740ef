import type { KeyObject } from 'node:crypto';
import type { Clock } from '../shared/clock.ts';
import { ServiceError } from '../shared/service-error.ts';
import { deriveKey, type KeyPurpose } from './derive-key.ts';
import {
  currentRoot,
  rootOf,
  searchedRoots,
  settledRoot,
  type DeploymentKey,
  type KeyRing,
  type WrappedRoot,
} from './key-ring.ts';
import type { KeyService } from './key-service.ts';
import type { DataKey } from './record-encryption.ts';
import { unwrapRoot } from './wrapped-root.ts';

/** Reads the key ring of a tenant; `undefined` for a tenant that does not exist. */
export interface KeyRingStore {
  keyRing(tenantId: string): Promise<KeyRing | undefined>;
}

/** How long a ring and the keys that it opens may be cached, in ms (docs/security.md#keys). */
export const KEY_LIFETIME_MS = 5 * 60 * 1000;

/**
 * After this time, in ms, no instance has an older ring in its cache, and no request that used one
 * is still running.
 */
export const FORGOTTEN_MS = KEY_LIFETIME_MS + 60_000;

/**
 * The tenants' keys in plaintext. The root is unwrapped on first use, and all other keys are
 * derived from it. No key is used after {@link KEY_LIFETIME_MS}.
 */
export interface TenantKeys {
  /** The key for new records of the purpose, and the version that identifies it. */
  current(tenantId: string, purpose: KeyPurpose): Promise<DataKey>;
  /** The key that made an old record, by the version in the record. */
  version(tenantId: string, purpose: KeyPurpose, version: number): Promise<DataKey>;
  /**
   * The keys of the purpose under all roots, oldest first. There are two while a root is being
   * replaced, and one otherwise.
   */
  all(tenantId: string, purpose: Exclude<KeyPurpose, 'data'>): Promise<readonly KeyObject[]>;
  /** The keys of the purpose that an instance may still search by (see `searchedRoots`). */
  searched(tenantId: string, purpose: Exclude<KeyPurpose, 'data'>): Promise<readonly DataKey[]>;
  /** The key of the purpose by which all lasting data can be found (see `settledRoot`). */
  settled(tenantId: string, purpose: Exclude<KeyPurpose, 'data'>): Promise<KeyObject>;
  /**
   * Returns the same as {@link current} without the cache, for callers that must not use a replaced
   * key.
   */
  newest(tenantId: string, purpose: KeyPurpose): Promise<DataKey>;
  /** Whether the tenant's ring is cached, so that the caller need not read it. */
  holds(tenantId: string): boolean;
  /** Caches a ring that was read anyway, and starts to unwrap its roots before they are needed. */
  learn(tenantId: string, ring: KeyRing): void;
}

interface Cached<T> {
  readonly value: T;
  readonly until: number;
}

/** A cache whose values expire after {@link KEY_LIFETIME_MS}, or earlier. */
interface Memory<T> {
  get(key: string): Cached<T> | undefined;
  /** Caches a value. A value that was made from another one expires with that at the latest. */
  set(key: string, value: T, latest?: number): Cached<T>;
  /** Deletes a value, unless another one has replaced it. */
  drop(key: string, value: T): void;
}

function createMemory<T>(clock: Clock): Memory<T> {
  const cached = new Map<string, Cached<T>>();
  return {
    get(key) {
      const known = cached.get(key);
      return known !== undefined && known.until > clock() ? known : undefined;
    },
    set(key, value, latest = Infinity) {
      const now = clock();
      for (const [other, { until }] of cached) if (until <= now) cached.delete(other);
      const added = { value, until: Math.min(now + KEY_LIFETIME_MS, latest) };
      cached.set(key, added);
      return added;
    },
    drop(key, value) {
      if (cached.get(key)?.value === value) cached.delete(key);
    },
  };
}

/** An unwrapped root with its derived keys, which expire together with it. */
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
 * The tenant was destroyed after the caller was authenticated, so none of its keys is valid any
 * more.
 */
const gone = () => new ServiceError('unauthenticated', 'The API key is not valid.');

/**
 * The version that a record of a purpose stores. For `data` it is that of the data key. For others
 * it is the first version of the root, which identifies the root.
 */
function versionFor(ring: KeyRing, purpose: KeyPurpose): number {
  return purpose === 'data' ? ring.keyVersion : (currentRoot(ring)?.since ?? ring.keyVersion);
}

/**
 * Whether the ring covers a version. The newest root may not have started its first version yet.
 */
const reaches = ({ keyVersion, roots }: KeyRing, version: number): boolean =>
  version <= Math.max(keyVersion, roots.at(-1)?.since ?? 0);

interface TenantKeysDeps {
  readonly keyService: Pick<KeyService, 'unwrapKey'>;
  readonly keyRingStore: KeyRingStore;
  readonly clock: Clock;
}

/** The keys that an instance has opened, and what opens more. */
interface KeyCaches {
  readonly deps: TenantKeysDeps;
  readonly rings: Memory<Promise<KeyRing>>;
  readonly roots: Memory<Promise<Root>>;
  readonly deploymentKeys: Memory<Promise<KeyObject>>;
}

/** Concurrent callers share one load. A load that fails is not cached. */
function remember<T>(
  memory: Memory<Promise<T>>,
  name: string,
  load: () => Promise<T>,
  latest?: number,
): Cached<Promise<T>> {
  const cached = memory.set(name, load(), latest);
  cached.value.catch(() => {
    memory.drop(name, cached.value);
  });
  return cached;
}

function readRing({ rings, deps }: KeyCaches, tenantId: string): Promise<KeyRing> {
  return remember(rings, tenantId, async () => {
    const ring = await deps.keyRingStore.keyRing(tenantId);
    if (ring === undefined) throw gone();
    return ring;
  }).value;
}

const ringOf = (caches: KeyCaches, tenantId: string) =>
  caches.rings.get(tenantId)?.value ?? readRing(caches, tenantId);

function openDeploymentKey(
  { deploymentKeys, deps }: KeyCaches,
  { id, wrapped }: DeploymentKey,
): Cached<Promise<KeyObject>> {
  const name = `${id} ${wrapped.toString('base64')}`;
  return (
    deploymentKeys.get(name) ??
    remember(deploymentKeys, name, () => deps.keyService.unwrapKey(wrapped, { deployment: id }))
  );
}

/** A root never outlives the deployment key that opened it, because both end after one lifetime. */
function openRoot(
  caches: KeyCaches,
  tenantId: string,
  name: string,
  { wrapped, deploymentKey }: WrappedRoot,
) {
  const { deps, roots } = caches;
  const by = deploymentKey && { id: deploymentKey.id, ...openDeploymentKey(caches, deploymentKey) };
  const load = async () =>
    by === undefined
      ? deps.keyService.unwrapKey(wrapped, { tenant: tenantId })
      : unwrapRoot({ id: by.id, key: await by.value }, tenantId, wrapped);
  const root = async () => ({ key: await load(), derived: new Map<string, KeyObject>() });
  return remember(roots, name, root, by?.until);
}

function unwrap(caches: KeyCaches, tenantId: string, root: WrappedRoot): Promise<Root> {
  const { roots } = caches;
  const name = `${tenantId} ${root.wrapped.toString('base64')}`;
  return (roots.get(name) ?? openRoot(caches, tenantId, name, root)).value;
}

async function keyOf(
  caches: KeyCaches,
  tenantId: string,
  ring: KeyRing,
  purpose: KeyPurpose,
  version: number,
) {
  if (ring.roots.length === 0) throw gone();
  const root = reaches(ring, version) ? rootOf(ring, version) : undefined;
  if (root === undefined) throw new Error(`tenant keys: no root for version ${String(version)}`);
  return { version, key: derivedFrom(await unwrap(caches, tenantId, root), purpose, version) };
}

const currentOf = (caches: KeyCaches, tenantId: string, ring: KeyRing, purpose: KeyPurpose) =>
  keyOf(caches, tenantId, ring, purpose, versionFor(ring, purpose));

/**
 * Calls reject with `dependency_unavailable` when a dependency is down, and with `unauthenticated`
 * for a missing or destroyed tenant. A version without a root is an unexpected error.
 */
export function createTenantKeys(deps: TenantKeysDeps): TenantKeys {
  const rings = createMemory<Promise<KeyRing>>(deps.clock);
  const roots = createMemory<Promise<Root>>(deps.clock);
  const deploymentKeys = createMemory<Promise<KeyObject>>(deps.clock);
  const caches = { deps, rings, roots, deploymentKeys };

  return {
    current: async (tenantId, purpose) =>
      currentOf(caches, tenantId, await ringOf(caches, tenantId), purpose),
    newest: async (tenantId, purpose) =>
      currentOf(caches, tenantId, await readRing(caches, tenantId), purpose),

    async version(tenantId, purpose, version) {
      const ring = await ringOf(caches, tenantId);
      // The cached ring does not cover the version, so the data key was rotated since.
      return keyOf(
        caches,
        tenantId,
        reaches(ring, version) ? ring : await readRing(caches, tenantId),
        purpose,
        version,
      );
    },

    async all(tenantId, purpose) {
      const ring = await ringOf(caches, tenantId);
      return Promise.all(
        ring.roots.map(async (root) => (await keyOf(caches, tenantId, ring, purpose, root.since)).key),
      );
    },

    async searched(tenantId, purpose) {
      const ring = await ringOf(caches, tenantId);
      const found = searchedRoots(ring, deps.clock() - FORGOTTEN_MS);
      return Promise.all(found.map(({ since }) => keyOf(caches, tenantId, ring, purpose, since)));
    },

    async settled(tenantId, purpose) {
      const ring = await ringOf(caches, tenantId);
      return (await keyOf(caches, tenantId, ring, purpose, settledRoot(ring)?.since ?? 0)).key;
    },

    holds: (tenantId) => rings.get(tenantId) !== undefined,

    learn(tenantId, ring) {
      void rings.set(tenantId, Promise.resolve(ring));
      // A root that fails here is unwrapped again when it is needed, and that call reports the
      // error.
      for (const root of ring.roots) unwrap(caches, tenantId, root).catch(() => undefined);
    },
  };
}
