import type { Clock } from '../shared/clock.ts';
import type { KeyService } from './key-service.ts';
import type { DataKey } from './record-seal.ts';

/**
 * What a tenant key is for. Each purpose has keys of its own, so that no two mechanisms ever share one. Keys of
 * `data` are replaced by rotation (old ones still open old records); the others stay, since what they derive is compared.
 */
export const KEY_PURPOSES = [
  'data',
  'fingerprint',
  'search',
  'cursor',
  'session',
  'invocation',
  'idempotency',
  'webhook',
] as const;
export type KeyPurpose = (typeof KEY_PURPOSES)[number];

/** A tenant key as it is stored: encrypted by the key service under the context tenant, purpose, version. */
export interface WrappedKey {
  readonly purpose: KeyPurpose;
  /** From 1; the highest version of a purpose is the current one. */
  readonly version: number;
  readonly wrapped: Buffer;
}

/** Reads the wrapped keys of a tenant; `undefined` for a tenant that does not exist (or whose keys were destroyed). */
export interface WrappedKeyStore {
  wrappedKeys(tenantId: string): Promise<readonly WrappedKey[] | undefined>;
}

/** How long an unwrapped key may stay in memory, in milliseconds (architecture.md, Keys). */
export const KEY_LIFETIME_MS = 5 * 60 * 1000;

/** The tenants' keys in plaintext, unwrapped on first use and forgotten after {@link KEY_LIFETIME_MS}. */
export interface TenantKeys {
  /** The key that new records of the purpose are made with. */
  current(tenantId: string, purpose: KeyPurpose): Promise<DataKey>;
  /** The key of one version, to open old records. */
  version(tenantId: string, purpose: KeyPurpose, version: number): Promise<DataKey>;
  /** {@link current}, read anew: for who must not take a key that has been replaced meanwhile. */
  newest(tenantId: string, purpose: KeyPurpose): Promise<DataKey>;
}

interface Held<T> {
  readonly value: Promise<T>;
  readonly until: number;
}

/** A cache of promises: concurrent callers share one load, and a failed load is not kept. */
function expiringCache<T>(
  clock: Clock,
): (key: string, load: () => Promise<T>, isStale?: boolean) => Promise<T> {
  const held = new Map<string, Held<T>>();
  return (key, load, isStale = false) => {
    const now = clock();
    const known = held.get(key);
    if (known !== undefined && known.until > now && !isStale) return known.value;
    for (const [other, { until }] of held) if (until <= now) held.delete(other);
    const value = load();
    held.set(key, { value, until: now + KEY_LIFETIME_MS });
    value.catch(() => {
      if (held.get(key)?.value === value) held.delete(key);
    });
    return value;
  };
}

/**
 * Tenant keys over a key service and a store of wrapped keys. Rejects with `dependency_unavailable` when either is
 * down; a purpose or version that the tenant does not have is an unexpected error.
 */
export function createTenantKeys(deps: {
  readonly keyService: KeyService;
  readonly wrappedKeyStore: WrappedKeyStore;
  readonly clock: Clock;
}): TenantKeys {
  const ring = expiringCache<readonly WrappedKey[]>(deps.clock);
  const unwrapped = expiringCache<DataKey>(deps.clock);

  const wrappedKeys = (tenantId: string, isStale = false) =>
    ring(
      tenantId,
      async () => {
        const keys = await deps.wrappedKeyStore.wrappedKeys(tenantId);
        if (keys === undefined) throw new Error('tenant keys: the tenant has none');
        return keys;
      },
      isStale,
    );

  const unwrap = (tenantId: string, { purpose, version, wrapped }: WrappedKey) =>
    unwrapped(`${tenantId}/${purpose}/${String(version)}`, async () => ({
      version,
      key: await deps.keyService.unwrapKey(wrapped, { tenant: tenantId, purpose, version: String(version) }),
    }));

  async function newestOf(tenantId: string, purpose: KeyPurpose, isStale: boolean): Promise<DataKey> {
    const keys = (await wrappedKeys(tenantId, isStale)).filter((key) => key.purpose === purpose);
    const newest = keys.toSorted((a, b) => b.version - a.version)[0];
    if (newest === undefined) throw new Error(`tenant keys: no key for purpose ${purpose}`);
    return unwrap(tenantId, newest);
  }

  return {
    current: (tenantId, purpose) => newestOf(tenantId, purpose, false),
    newest: (tenantId, purpose) => newestOf(tenantId, purpose, true),
    async version(tenantId, purpose, version) {
      const named = (keys: readonly WrappedKey[]) =>
        keys.find((candidate) => candidate.purpose === purpose && candidate.version === version);
      // A version that is not remembered is newer than what is: somebody has rotated the key meanwhile.
      const key = named(await wrappedKeys(tenantId)) ?? named(await wrappedKeys(tenantId, true));
      if (key === undefined)
        throw new Error(`tenant keys: no version ${String(version)} for purpose ${purpose}`);
      return unwrap(tenantId, key);
    },
  };
}
