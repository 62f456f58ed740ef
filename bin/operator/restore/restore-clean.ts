import { CommandFailure } from '../explain-failure.ts';
import type { RestoreDeps } from './restore-deps.ts';
import { removeCopy } from './swap-table.ts';

/** Deletes the copies and backups of a complete restore, or of one that is dropped. */
export async function restoreClean(deps: RestoreDeps): Promise<Readonly<Record<string, unknown>>> {
  const state = deps.folder.load();
  if (state === undefined) throw new CommandFailure(`${deps.folder.path} has no restore`);
  // A backup may be all that is left of a table, and functions may be stopped.
  if (['stopping', 'decided', 'exchanged'].includes(state.phase))
    throw new CommandFailure(
      `the restore ${state.id} is not finished: complete it with restore exchange; nothing was done`,
    );
  const removed: string[] = [];
  for (const table of state.tables) removed.push(...(await removeCopy(deps, table)));
  deps.folder.forget();
  return { restore: state.id, removed: removed.length };
}
