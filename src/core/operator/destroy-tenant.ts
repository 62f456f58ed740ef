import type { ApplicationStore } from '../applications/application-store.ts';
import type { TenantStore } from '../tenants/tenant.ts';
import { isDestroyed } from '../crypto/key-ring.ts';
import { forgetAllowance, type HotAllowanceStore } from '../reactors/hot-allowances.ts';
import { isBusy } from '../reactors/change-function.ts';
import type { ReactorRepairs } from '../reactors/reactor-functions.ts';
import type { ProxyStore } from '../stored-proxies/proxy-store.ts';
import type { ReactorStore } from '../reactors/reactor-store.ts';
import { retryConflict } from '../shared/retry-conflict.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { UnprovenTokenStore } from '../tokens/token-store.ts';
import type { Platform } from '../shared/platform.ts';

export interface DestroyTenantDeps extends Platform {
  readonly tenantStore: Pick<TenantStore, 'find' | 'update' | 'remove'>;
  readonly applicationStore: Pick<ApplicationStore, 'list' | 'delete' | 'forgetRetiredKeys'>;
  readonly reactorStore: Pick<ReactorStore, 'list' | 'delete'>;
  readonly proxyStore: Pick<ProxyStore, 'list' | 'delete'>;
  readonly hotAllowanceStore: HotAllowanceStore;
  readonly reactorFunctions: Pick<ReactorRepairs, 'remove'>;
  readonly tokenStore: Pick<
    UnprovenTokenStore,
    'candidates' | 'findMany' | 'deleteVersion' | 'deleteTombstones' | 'deleteTombstonesOf'
  >;
}

/** Counts the records that one step removed. `isDone` is true after the last step. */
export interface DestroyStep {
  readonly removed: number;
  readonly what: 'applications' | 'keys' | 'proxies' | 'reactors' | 'tokens' | 'tombstones' | 'tenant';
  readonly isDone: boolean;
}

/** Most records of a step, which fit the time limit of a function. */
const STEP = 100;
const REACTORS_STEP = 10;

async function firstOf<T>(batches: AsyncIterable<readonly T[]>, count: number): Promise<readonly T[]> {
  for await (const batch of batches) if (batch.length > 0) return batch.slice(0, count);
  return [];
}

/**
 * Deletes the wrapped root of a tenant with every copy of it, and the secrets that the root
 * encrypts. Throws `not_found`.
 */
async function destroyKeys(deps: DestroyTenantDeps, tenantId: string): Promise<void> {
  const { tenantStore } = deps;
  await retryConflict(deps, async () => {
    const tenant = await tenantStore.find(tenantId);
    if (tenant === undefined) throw new ServiceError('not_found', 'The tenant does not exist.');
    if (isDestroyed(tenant)) return 'destroyed';
    const { webhookSecret: _, previousWebhookSecret: __, ...rest } = tenant;
    const destroyed = { ...rest, roots: [], version: tenant.version + 1 };
    return (await tenantStore.update(tenant, destroyed)) ? 'destroyed' : 'conflict';
  });
}

/**
 * One step of destroying a tenant; repeat it until it is done.
 * - The wrapped root is deleted first. From then on, nothing of the tenant can be opened anywhere,
 *   backups included (backups of the Access table contain the wrapped root until they expire), and
 *   its keys are rejected.
 * - If a later step is interrupted, only unreadable records are left, which the next step finds.
 * - A request under way may write records after the last step; they stay, and no key opens them.
 * - Instances that unwrapped the root cache it for at most five minutes.
 * Throws `not_found`.
 */
export async function destroyTenantStep(deps: DestroyTenantDeps, tenantId: string): Promise<DestroyStep> {
  await destroyKeys(deps, tenantId);
  const applications = await firstOf(deps.applicationStore.list(tenantId, undefined), STEP);
  if (applications.length > 0) {
    for (const application of applications) await deps.applicationStore.delete(application);
    return { what: 'applications', removed: applications.length, isDone: false };
  }
  const keys = await deps.applicationStore.forgetRetiredKeys(tenantId, STEP);
  if (keys > 0) return { what: 'keys', removed: keys, isDone: false };
  const proxies = await firstOf(deps.proxyStore.list(tenantId, undefined), STEP);
  if (proxies.length > 0) {
    for (const proxy of proxies) await deps.proxyStore.delete(proxy);
    return { what: 'proxies', removed: proxies.length, isDone: false };
  }
  const reactors = await firstOf(deps.reactorStore.list(tenantId, undefined), REACTORS_STEP);
  if (reactors.length > 0) {
    // A reactor that is being created or changed waits: its function would appear after its record
    // is deleted.
    const idle = reactors.filter((reactor) => !isBusy(reactor, deps.clock()));
    for (const reactor of idle) {
      await deps.reactorFunctions.remove(reactor.id);
      await deps.reactorStore.delete(reactor);
    }
    return { what: 'reactors', removed: idle.length, isDone: false };
  }
  const candidates = await firstOf(deps.tokenStore.candidates(tenantId, { terms: [], expected: STEP }), STEP);
  if (candidates.length > 0) {
    const ids = candidates.map(({ id }) => id);
    const tokens = await deps.tokenStore.findMany(tenantId, ids);
    await Promise.all(tokens.map((token) => deps.tokenStore.deleteVersion(token)));
    // The next step may read an index that does not have the newest tombstones yet.
    await deps.tokenStore.deleteTombstonesOf(tenantId, ids);
    return { what: 'tokens', removed: tokens.length, isDone: false };
  }
  const tombstones = await deps.tokenStore.deleteTombstones(tenantId, STEP);
  if (tombstones > 0) return { what: 'tombstones', removed: tombstones, isDone: false };
  await forgetAllowance(deps, tenantId);
  await deps.tenantStore.remove(tenantId);
  return { what: 'tenant', removed: 1, isDone: true };
}
