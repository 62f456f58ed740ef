import { defined } from '../shared/defined.ts';
import { TIDY_AFTER_MS, waiting, withoutOperation, type ChangeFunctionDeps } from './change-function.ts';
import type { ReactorArchive } from './reactor-functions.ts';
import type { PackagesReplacement } from './reactor-store.ts';
import type { StoredReactor } from './reactor.ts';

/** Says what is published, and how the packages beside the record change with it. */
export interface Publication extends ReactorArchive {
  readonly replacement?: PackagesReplacement;
}

/**
 * Publishes code into the function of a reactor, points `live` to it, and stores the reactor
 * without our operation, which `locked` has. Returns `conflict` if another writer changed it.
 */
export async function publishLocked(
  deps: ChangeFunctionDeps,
  locked: StoredReactor,
  { stayed: _, ...next }: StoredReactor,
  { replacement, ...archive }: Publication,
): Promise<StoredReactor | 'conflict'> {
  const { reactorFunctions } = deps;
  const made = await reactorFunctions.publish(next, archive);
  // Until the record is updated, instances behind `live` reject the code hash of the old record.
  // A run of the old record then uses the version number.
  const live = await reactorFunctions.pointLive(next.id, made.functionVersion);
  if (live === 'gone') throw new Error('publish code: the version that was just made is missing');
  const now = deps.clock();
  const layerSince = made.layer.hash === next.layer?.hash ? next.layerSince : now;
  const changed = defined({
    ...next,
    ...made,
    layerSince,
    tidyAt: now + TIDY_AFTER_MS,
    version: locked.version,
  });
  const committed = withoutOperation(live === 'made' ? waiting(changed, now) : changed);
  return (await deps.reactorStore.update(committed, replacement, locked)) ? committed : 'conflict';
}
