import type { ApplicationStore } from '../applications/application-store.ts';
import { isBusy } from '../reactors/change-function.ts';
import type { ReactorRepairs } from '../reactors/reactor-functions.ts';
import type { ReactorStore } from '../reactors/reactor-store.ts';
import type { Clock } from '../shared/clock.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { TokenStore } from '../tokens/token-store.ts';

/** The end of tenants. */
export interface TenantEnd {
  /** Destroys all wrapped keys of a tenant; its name stays until {@link removeTenant}. `false` if there is no such tenant. */
  destroyKeys(tenantId: string): Promise<boolean>;
  removeTenant(tenantId: string): Promise<void>;
}

export interface DestroyTenantDeps {
  readonly tenantEnd: TenantEnd;
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
 * One step of destroying a tenant, to be repeated until it is done. The wrapped keys go first: from then on nothing of the tenant can be
 * opened anywhere, backups included (those of the Access table still hold the wrapped keys until they age out), and whatever is interrupted later is only rubbish
 * that the next step finds. Instances that unwrapped a key remember it for five minutes at the most. Throws `not_found`.
 */
export async function destroyTenantStep(deps: DestroyTenantDeps, tenantId: string): Promise<DestroyStep> {
  if (!(await deps.tenantEnd.destroyKeys(tenantId)))
    throw new ServiceError('not_found', 'The tenant does not exist.');
  const applications = await firstOf(deps.applicationStore.list(tenantId, undefined), STEP);
  if (applications.length > 0) {
    for (const application of applications) await deps.applicationStore.delete(application);
    return { what: 'applications', removed: applications.length, isDone: false };
  }
  const reactors = await firstOf(deps.reactorStore.list(tenantId, undefined), REACTORS_STEP);
  if (reactors.length > 0) {
    // One that is being made or changed is left until nobody does: its function would come after its record has gone.
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
  await deps.tenantEnd.removeTenant(tenantId);
  return { what: 'tenant', removed: 1, isDone: true };
}
