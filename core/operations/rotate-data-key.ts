import type { KeyService } from '../crypto/key-service.ts';
import type { WrappedKey } from '../crypto/tenant-keys.ts';
import type { Clock } from '../shared/clock.ts';
import { retryRace } from '../shared/retry-race.ts';
import { ServiceError } from '../shared/service-error.ts';

/** The wrapped keys of tenants, as rotation changes them. */
export interface TenantKeyRing {
  /** All keys of a tenant as they were last written, and when they are due; `undefined` if there is no such tenant. */
  keyRing(
    tenantId: string,
  ): Promise<{ readonly keys: readonly WrappedKey[]; readonly rotateAt: number } | undefined>;
  /** Adds a key to `before` and sets the time of the next rotation; `false` if the keys have changed since. */
  addKey(
    tenantId: string,
    before: readonly WrappedKey[],
    added: WrappedKey,
    rotateAt: number,
  ): Promise<boolean>;
}

export interface RotateDataKeyDeps {
  readonly tenantKeyRing: TenantKeyRing;
  readonly keyService: KeyService;
  readonly clock: Clock;
  /** How long a data key seals new records, in ms. */
  readonly keyRotationMs: number;
}

/**
 * Gives a tenant another data key and answers with its version. New records are sealed under it within five minutes, the time that
 * instances remember keys; old ones open under theirs until they are sealed anew. The other purposes do not rotate: what they derive is
 * compared (architecture.md, Keys). Throws `not_found`.
 */
export async function rotateDataKey(
  { tenantKeyRing, keyService, clock, keyRotationMs }: RotateDataKeyDeps,
  tenantId: string,
): Promise<number> {
  const { version } = await retryRace<WrappedKey>(async () => {
    const ring = await tenantKeyRing.keyRing(tenantId);
    if (ring === undefined || ring.keys.length === 0)
      throw new ServiceError('not_found', 'The tenant does not exist.');
    const purpose = 'data';
    const next =
      1 + Math.max(...ring.keys.filter((key) => key.purpose === purpose).map((key) => key.version));
    const { wrapped } = await keyService.generateKey({ tenant: tenantId, purpose, version: String(next) });
    const added = { purpose, version: next, wrapped } as const;
    const isAdded = await tenantKeyRing.addKey(tenantId, ring.keys, added, clock() + keyRotationMs);
    return isAdded ? added : 'lost';
  });
  return version;
}

/** Rotates the data key of a tenant whose time has come. */
export async function rotateIfDue(deps: RotateDataKeyDeps, tenantId: string): Promise<void> {
  const ring = await deps.tenantKeyRing.keyRing(tenantId);
  if (ring !== undefined && ring.rotateAt <= deps.clock()) await rotateDataKey(deps, tenantId);
}
