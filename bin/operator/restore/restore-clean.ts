import { CommandFailure } from '../../command-line/failures.ts';
import { startFunctions } from './functions.ts';
import type { RestoreDeps } from './restore-deps.ts';
import { removeCopy } from './swap-table.ts';

/** Deletes the copies and backups of a restore that is complete, or that replaced no table yet. */
export async function restoreClean(deps: RestoreDeps): Promise<Readonly<Record<string, unknown>>> {
  const state = deps.folder.load();
  if (state === undefined) throw new CommandFailure(`${deps.folder.path} has no restore`);
  // A backup may be all that is left of a table.
  if (['decided', 'exchanged'].includes(state.phase))
    throw new CommandFailure(
      `the restore ${state.id} is not finished: complete it with restore exchange; nothing was done`,
    );
  // No table was replaced yet, so the service can run on as before.
  if (state.phase === 'stopping') await startFunctions(deps, state.functions ?? []);
  const removed: string[] = [];
  for (const table of state.tables) removed.push(...(await removeCopy(deps, table)));
  deps.folder.forget();
  return { restore: state.id, removed: removed.length };
}
