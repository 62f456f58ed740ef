import {
  heated,
  isBusy,
  startOperation,
  withoutOperation,
  type RepairFunctionDeps,
} from './change-function.ts';
import type { StoredReactor } from './reactor.ts';

/**
 * When the sweep has something to do for a reactor, in ms since the epoch; `undefined` if it has
 * not.
 */
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
 * The function as the record describes it: `live` where it belongs, and no version that nothing
 * refers to.
 */
async function putInOrder(deps: RepairFunctionDeps, reactor: StoredReactor): Promise<void> {
  const { id, functionVersion } = reactor;
  if (functionVersion === undefined) return removeEntirely(deps, reactor);
  const { tidyAt: _, heatAt, ...tidy } = reactor;
  const live = await deps.reactorFunctions.pointLive(id, functionVersion);
  // A record that was restored without its function waits for a PUT: there is nothing to put in
  // order.
  if (live === 'gone') {
    await deps.reactorStore.update(withoutOperation(tidy));
    return;
  }
  await deps.reactorFunctions.removeOtherVersions(id, functionVersion);
  const next = heatAt === undefined && live === 'moved' ? tidy : await heated(deps, tidy);
  await deps.reactorStore.update(withoutOperation(next));
}

/**
 * What the sweep does for a reactor whose time has come: an interrupted creation or deletion is
 * undone or finished, an interrupted update is taken back to what the record says, versions that
 * nothing refers to any more are removed, and a reactor that the account's quota has left cold is
 * tried to be kept hot again. Whoever repairs holds the operation meanwhile, like anybody who
 * changes a function.
 */
export async function repairReactor(deps: RepairFunctionDeps, tenantId: string, id: string): Promise<void> {
  const reactor = await deps.reactorStore.find(tenantId, id);
  const now = deps.clock();
  if (reactor === undefined || isBusy(reactor, now)) return;
  const due = dueOf(reactor);
  if (due === undefined || due > now) return;
  const held = await startOperation(deps, reactor);
  if (held === undefined) return;
  if (held.state === 'ready') await putInOrder(deps, held);
  else await removeEntirely(deps, held);
}
