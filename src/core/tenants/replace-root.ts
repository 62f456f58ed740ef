import { changeTenant, type TenantDeps } from './change-tenant.ts';
import type { Tenant } from './tenant.ts';
import type { KeyService } from '../crypto/key-service.ts';
import { KEY_VERSION_MAX, type WrappedRoot } from '../crypto/key-ring.ts';
import { FORGOTTEN_MS } from '../crypto/tenant-keys.ts';
import { CONTENT_MS } from '../reactors/invocation.ts';
import type { Clock } from '../shared/clock.ts';
import { ServiceError } from '../shared/service-error.ts';

export interface ReplaceRootDeps extends TenantDeps {
  readonly keyService: KeyService;
  readonly clock: Clock;
  readonly keyRotationMs: number;
}

/**
 * For so long after the start something that ends by itself may still be sealed under the old root,
 * in ms: contents of invocations live the longest.
 */
const KEPT_MS = CONTENT_MS + FORGOTTEN_MS;

/** Where a replacement stands, and when what comes next can be done, in ms since the epoch. */
export type RootReplacement =
  /** The new root waits until every instance knows it. */
  | { readonly state: 'waiting'; readonly nextAt: number }
  /**
   * New records are sealed under it; a walk of `resealStep`, not begun before `nextAt`, seals and
   * derives the old ones anew.
   */
  | { readonly state: 'resealing'; readonly nextAt: number }
  /**
   * Another walk, not begun before `nextAt`, takes away what is derived from the old root beside.
   */
  | { readonly state: 'clearing'; readonly nextAt: number }
  /** Nothing that lasts needs the old root; it is dropped from `nextAt` on. */
  | { readonly state: 'ending'; readonly nextAt: number }
  /** There is one root. */
  | { readonly state: 'ended' };

function stateOf({ roots }: Tenant): RootReplacement {
  const [, next] = roots;
  if (next === undefined) return { state: 'ended' };
  const { addedAt, startedAt, settledAt, clearedAt } = next;
  if (startedAt === undefined) return { state: 'waiting', nextAt: addedAt + FORGOTTEN_MS };
  if (settledAt === undefined) return { state: 'resealing', nextAt: startedAt + FORGOTTEN_MS };
  if (clearedAt === undefined) return { state: 'clearing', nextAt: settledAt + FORGOTTEN_MS };
  return { state: 'ending', nextAt: Math.max(startedAt + KEPT_MS, clearedAt + FORGOTTEN_MS) };
}

/** The tenant with the root that waits in use: all versions from now on are derived from it. */
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
 * Begins to give a tenant another root, for one that somebody may have copied; a replacement that
 * goes on is left as it is. Throws `not_found`.
 */
export async function beginRootReplacement(
  { keyService, clock, keyRotationMs, ...deps }: ReplaceRootDeps,
  tenantId: string,
): Promise<RootReplacement> {
  const tenant = await changeTenant(deps, tenantId, async (found) => {
    if (found.roots.length > 1) return found;
    if (found.keyVersion >= KEY_VERSION_MAX) throw new ServiceError('conflict', 'No version is left.');
    const { wrapped } = await keyService.generateKey({ tenant: tenantId });
    const now = clock();
    const waiting = { wrapped, since: found.keyVersion + 1, addedAt: now };
    return { ...found, roots: [...found.roots, waiting], rotateAt: now + keyRotationMs };
  });
  return stateOf(tenant);
}

/**
 * Takes the next step of a replacement, if it can be taken yet. The new root waits until every
 * instance knows it, so that none meets what it cannot open; then it seals; tokens and reactors are
 * re-sealed by two walks (`resealStep`); and when all that ends by itself has ended the old one is
 * dropped. Nothing stands still meanwhile. Fingerprints change. Throws `not_found`, and `conflict`
 * if none was begun.
 */
export async function continueRootReplacement(
  { clock, ...deps }: Pick<ReplaceRootDeps, 'tenantStore' | 'clock'>,
  tenantId: string,
): Promise<RootReplacement> {
  return stateOf(await changeTenant(deps, tenantId, (tenant) => goneOn(tenant, clock())));
}
