import type { ApplicationStore } from '../applications/application-store.ts';
import { isDestroyed, type TenantStore } from './tenant.ts';
import { isBusy } from '../reactors/change-function.ts';
import type { ReactorRepairs } from '../reactors/reactor-functions.ts';
import type { ReactorStore } from '../reactors/reactor-store.ts';
import type { Clock } from '../shared/clock.ts';
import { retryRace } from '../shared/retry-race.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { TokenStore } from '../tokens/token-store.ts';

export interface DestroyTenantDeps {
  readonly tenantStore: Pick<TenantStore, 'find' | 'update' | 'remove'>;
  readonly applicationStore: Pick<ApplicationStore, 'list' | 'delete'>;
  readonly reactorStore: Pick<ReactorStore, 'list' | 'delete'>;
  readonly reactorFunctions: Pick<ReactorRepairs, 'remove'>;
  readonly clock: Clock;
  readonly tokenStore: Pick<TokenStore, 'candidates' | 'findMany' | 'deleteWhole'>;
}

/** What one step removed; `isDone` after the last one. */
export interface DestroyStep {
  readonly removed: number;
  readonly what: 'applications' | 'reactors' | 'tokens' | 'tenant';
  readonly isDone: boolean;
}

/** Records of a step: what a function does well within its time. */
const STEP = 100;
const REACTORS_STEP = 10;

async function firstOf<T>(batches: AsyncIterable<readonly T[]>, count: number): Promise<readonly T[]> {
  for await (const batch of batches) if (batch.length > 0) return batch.slice(0, count);
  return [];
}

/**
 * Destroys the wrapped root of a tenant, every copy of it, and the secrets that it seals. Throws
 * `not_found`.
 */
async function destroyKeys({ tenantStore }: DestroyTenantDeps, tenantId: string): Promise<void> {
  await retryRace(async () => {
    const tenant = await tenantStore.find(tenantId);
    if (tenant === undefined) throw new ServiceError('not_found', 'The tenant does not exist.');
    if (isDestroyed(tenant)) return 'destroyed';
    const { webhookSecret: _, previousWebhookSecret: __, ...rest } = tenant;
    const destroyed = { ...rest, roots: [], version: tenant.version + 1 };
    return (await tenantStore.update(tenant, destroyed)) ? 'destroyed' : 'lost';
  });
}

/**
 * One step of destroying a tenant, to be repeated until it is done. The wrapped root goes first:
 * from then on nothing of the tenant can be opened anywhere, backups included (those of the Access
 * table still hold the wrapped root until they age out), its keys are refused, and whatever is
 * interrupted later is only rubbish that the next step finds; what a request that was under way
 * writes after the last step stays, and opens for nobody. Instances that unwrapped the root
 * remember it for five minutes at the most. Throws `not_found`.
 */
export async function destroyTenantStep(deps: DestroyTenantDeps, tenantId: string): Promise<DestroyStep> {
  await destroyKeys(deps, tenantId);
  const applications = await firstOf(deps.applicationStore.list(tenantId, undefined), STEP);
  if (applications.length > 0) {
    for (const application of applications) await deps.applicationStore.delete(application);
    return { what: 'applications', removed: applications.length, isDone: false };
  }
  const reactors = await firstOf(deps.reactorStore.list(tenantId, undefined), REACTORS_STEP);
  if (reactors.length > 0) {
    // One that is being made or changed is left until nobody does: its function would come after
    // its record has gone.
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
    await Promise.all(tokens.map((token) => deps.tokenStore.deleteWhole(token)));
    return { what: 'tokens', removed: tokens.length, isDone: false };
  }
  await deps.tenantStore.remove(tenantId);
  return { what: 'tenant', removed: 1, isDone: true };
}
