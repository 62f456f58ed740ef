import {
  heated,
  isBusy,
  startOperation,
  withoutOperation,
  type RepairFunctionDeps,
} from './change-function.ts';
import type { StoredReactor } from './reactor.ts';

/** When the sweep must process a reactor, in ms since the epoch; `undefined` for never. */
export function dueOf({
  operation,
  tidyAt = Infinity,
  heatAt = Infinity,
}: StoredReactor): number | undefined {
  const due = operation?.until ?? Math.min(tidyAt, heatAt);
  return due === Infinity ? undefined : due;
}

async function removeEntirely(deps: RepairFunctionDeps, reactor: StoredReactor): Promise<void> {
  await deps.reactorFunctions.remove(reactor.id);
  await deps.reactorStore.delete(reactor);
}

/**
 * Makes the function match the record: points `live` at the recorded version and removes all
 * others.
 */
async function putInOrder(deps: RepairFunctionDeps, reactor: StoredReactor): Promise<void> {
  const { id, functionVersion } = reactor;
  if (functionVersion === undefined) return removeEntirely(deps, reactor);
  const { tidyAt: _, heatAt, ...tidy } = reactor;
  const live = await deps.reactorFunctions.pointLive(id, functionVersion);
  // A record that was restored without its function waits for a PUT, so there is nothing to repair.
  if (live === 'gone') {
    await deps.reactorStore.update(withoutOperation(tidy));
    return;
  }
  await deps.reactorFunctions.removeOtherVersions(id, functionVersion);
  const next = heatAt === undefined && live === 'moved' ? tidy : await heated(deps, tidy);
  await deps.reactorStore.update(withoutOperation(next));
}

/**
 * Completes or reverts interrupted changes of a due reactor, removes unused versions, and requests
 * instances that the account's quota did not allow before.
 */
export async function repairReactor(deps: RepairFunctionDeps, tenantId: string, id: string): Promise<void> {
  const reactor = await deps.reactorStore.find(tenantId, id);
  const now = deps.clock();
  if (reactor === undefined || isBusy(reactor, now)) return;
  const due = dueOf(reactor);
  if (due === undefined || due > now) return;
  // The sweep owns the operation meanwhile, like every writer that changes a function.
  const locked = await startOperation(deps, reactor);
  if (locked === undefined) return;
  if (locked.state === 'ready') await putInOrder(deps, locked);
  else await removeEntirely(deps, locked);
}
