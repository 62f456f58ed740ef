import {
  isBusy,
  startOperation,
  waiting,
  withoutOperation,
  type RepairFunctionDeps,
} from './change-function.ts';
import type { StoredReactor } from './reactor.ts';

/** When the sweep must process a reactor, in ms since the epoch; `undefined` for never. */
export const dueOf = ({ operation, tidyAt }: StoredReactor): number | undefined => operation?.until ?? tidyAt;

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
  const { tidyAt: _, ...tidy } = reactor;
  const live = await deps.reactorFunctions.pointLive(id, functionVersion);
  // A record that was restored without its function waits for a PUT, so there is nothing to repair.
  if (live === 'gone') {
    const { heat: __, ...cold } = tidy;
    await deps.reactorStore.update(withoutOperation(cold));
    return;
  }
  await deps.reactorFunctions.removeOtherVersions(id, functionVersion);
  const next = live === 'moved' ? tidy : waiting(tidy, deps.clock());
  await deps.reactorStore.update(withoutOperation(next));
}

/** Completes or reverts interrupted changes of a due reactor, and removes unused versions. */
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
