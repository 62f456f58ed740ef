import { changeTenant, type TenantDeps } from '../tenants/change-tenant.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { newRoot, wrappingKeyOf, type WrapDeps } from './wrap-roots.ts';
import { KEY_VERSION_MAX, type WrappedRoot } from '../crypto/key-ring.ts';
import { FORGOTTEN_MS } from '../crypto/tenant-keys.ts';
import { CONTENT_MS } from '../reactors/invocation.ts';
import { ServiceError } from '../shared/service-error.ts';

export interface ReplaceRootDeps extends TenantDeps, WrapDeps {
  readonly keyRotationMs: number;
}

/**
 * How long after the start expiring data may still be encrypted under the old root, in ms. Contents
 * of invocations live longest.
 */
const OLD_ROOT_MS = CONTENT_MS + FORGOTTEN_MS;

/** The state of a replacement. The next step is possible at `nextAt`, in ms since the epoch. */
export type RootReplacement =
  /** The new root is not used until every instance knows it. */
  | { readonly state: 'waiting'; readonly nextAt: number }
  /**
   * The new root encrypts new records. A walk of `reencryptStep` that starts at `nextAt` or later
   * encrypts the old records again, and derives their values again.
   */
  | { readonly state: 'reencryption'; readonly nextAt: number }
  /**
   * Another walk, starting at `nextAt` or later, removes the values that are also derived from the
   * old root.
   */
  | { readonly state: 'clearing'; readonly nextAt: number }
  /** No lasting data needs the old root, which is removed at `nextAt` or later. */
  | { readonly state: 'ending'; readonly nextAt: number }
  /** There is only one root. */
  | { readonly state: 'ended' };

function stateOf({ roots }: Tenant): RootReplacement {
  const [, next] = roots;
  if (next === undefined) return { state: 'ended' };
  const { addedAt, startedAt, settledAt, clearedAt } = next;
  if (startedAt === undefined) return { state: 'waiting', nextAt: addedAt + FORGOTTEN_MS };
  if (settledAt === undefined) return { state: 'reencryption', nextAt: startedAt + FORGOTTEN_MS };
  if (clearedAt === undefined) return { state: 'clearing', nextAt: settledAt + FORGOTTEN_MS };
  return { state: 'ending', nextAt: Math.max(startedAt + OLD_ROOT_MS, clearedAt + FORGOTTEN_MS) };
}

/** The tenant after the waiting root is in use. All later key versions are derived from it. */
function started(tenant: Tenant, [old, next]: readonly [WrappedRoot, WrappedRoot], now: number): Tenant {
  return { ...tenant, roots: [old, { ...next, startedAt: now }], keyVersion: next.since };
}

function goneOn(tenant: Tenant, now: number): Tenant {
  const [old, next] = tenant.roots;
  if (old === undefined || next === undefined)
    throw new ServiceError('conflict', 'No root of the tenant is being replaced.');
  const reached = stateOf(tenant);
  if (reached.state === 'ended' || reached.nextAt > now) return tenant;
  if (reached.state === 'waiting') return started(tenant, [old, next], now);
  return reached.state === 'ending' ? { ...tenant, roots: [next] } : tenant;
}

/**
 * Begins to replace the root of a tenant, for example one that an attacker may have copied. A
 * replacement under way is left unchanged. Throws `not_found`.
 */
export async function beginRootReplacement(
  deps: ReplaceRootDeps,
  tenantId: string,
): Promise<RootReplacement> {
  const { clock, keyRotationMs } = deps;
  const tenant = await changeTenant(deps, tenantId, async (found) => {
    if (found.roots.length > 1) return found;
    if (found.keyVersion >= KEY_VERSION_MAX) throw new ServiceError('conflict', 'No version is left.');
    const { key: _, ...wrapping } = await newRoot(deps, tenantId, wrappingKeyOf(found));
    const now = clock();
    const waiting = { ...wrapping, since: found.keyVersion + 1, addedAt: now };
    return { ...found, roots: [...found.roots, waiting], rotateAt: now + keyRotationMs };
  });
  return stateOf(tenant);
}

/**
 * Takes the next step of a replacement, if it is possible yet, while the service runs
 * (docs/security.md#keys). Throws `not_found`, and `conflict` if no replacement was begun.
 */
export async function continueRootReplacement(deps: TenantDeps, tenantId: string): Promise<RootReplacement> {
  return stateOf(await changeTenant(deps, tenantId, (tenant) => goneOn(tenant, deps.clock())));
}
