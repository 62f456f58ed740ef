import { changeTenant, type TenantDeps } from '../applications/change-tenant.ts';
import type { Tenant } from '../applications/tenant.ts';
import type { KeyService } from '../crypto/key-service.ts';
import type { WrappedRoot } from '../crypto/key-ring.ts';
import { KEY_LIFETIME_MS } from '../crypto/tenant-keys.ts';
import { CONTENT_MS } from '../reactors/invocation.ts';
import type { Clock } from '../shared/clock.ts';

export interface ReplaceRootDeps extends TenantDeps {
  readonly keyService: KeyService;
  readonly clock: Clock;
  readonly keyRotationMs: number;
}

/** By then every instance has forgotten a ring that it read before, and answered what it was doing with it, in ms. */
export const FORGOTTEN_MS = KEY_LIFETIME_MS + 60_000;

/** For so long after the start something that ends by itself may still be sealed under the old root, in ms: contents of invocations live the longest. */
const KEPT_MS = CONTENT_MS + FORGOTTEN_MS;

/** Where a replacement stands after a step, and when the next one can be made, in ms since the epoch. */
export type RootReplacement =
  /** The new root waits until every instance knows it. */
  | { readonly state: 'waiting'; readonly nextAt: number }
  /** New records are sealed under it; the old ones must be re-sealed, not before `nextAt`. */
  | { readonly state: 'resealing'; readonly nextAt: number }
  /** Nothing that lasts is sealed under the old root; it is dropped from `nextAt` on. */
  | { readonly state: 'ending'; readonly nextAt: number }
  /** The old root is gone. */
  | { readonly state: 'ended' };

function stateOf({ roots, resealedSince = 0 }: Tenant): RootReplacement {
  const [, next] = roots;
  if (next === undefined) return { state: 'ended' };
  const { since, addedAt, startedAt } = next;
  if (startedAt === undefined) return { state: 'waiting', nextAt: addedAt + FORGOTTEN_MS };
  return resealedSince < since
    ? { state: 'resealing', nextAt: startedAt + FORGOTTEN_MS }
    : { state: 'ending', nextAt: startedAt + KEPT_MS };
}

/** The tenant with the root that waits in use: all versions from now on are derived from it. */
function started(tenant: Tenant, [old, next]: readonly [WrappedRoot, WrappedRoot], now: number): Tenant {
  return { ...tenant, roots: [old, { ...next, startedAt: now }], keyVersion: next.since };
}

async function step({ keyService, clock, keyRotationMs }: ReplaceRootDeps, tenant: Tenant): Promise<Tenant> {
  const now = clock();
  const [old, next] = tenant.roots;
  if (old === undefined || next === undefined) {
    const { wrapped } = await keyService.generateKey({ tenant: tenant.id });
    const waiting = { wrapped, since: tenant.keyVersion + 1, addedAt: now };
    return { ...tenant, roots: [...tenant.roots, waiting], rotateAt: now + keyRotationMs };
  }
  const reached = stateOf(tenant);
  if (reached.state === 'ended' || reached.nextAt > now) return tenant;
  if (reached.state === 'waiting') return started(tenant, [old, next], now);
  return reached.state === 'ending' ? { ...tenant, roots: [next] } : tenant;
}

/**
 * Takes the next step of giving a tenant another root, for one that somebody may have copied. The new root waits until every instance
 * knows it, so that none meets what it cannot open; then it seals, tokens and reactors are re-sealed (`resealStep`), and when all that ends
 * by itself has ended the old one is dropped. Nothing stands still meanwhile. Fingerprints change. Throws `not_found`.
 */
export async function replaceRoot(deps: ReplaceRootDeps, tenantId: string): Promise<RootReplacement> {
  return stateOf(await changeTenant(deps, tenantId, (tenant) => step(deps, tenant)));
}
