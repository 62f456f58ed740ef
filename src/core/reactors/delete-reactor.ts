import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import { retryConflict } from '../shared/retry-conflict.ts';
import { requireMatch } from '../shared/revision.ts';
import {
  releaseOperationOnFailure,
  startOperation,
  whileNotMoved,
  type RepairFunctionDeps,
} from './change-function.ts';
import { existingReactor } from './get-reactor.ts';

/**
 * Deletes a reactor with its function. The record is hidden first and deleted last: the sweep
 * finishes an interrupted deletion and leaves no function behind.
 */
export async function deleteReactor(deps: RepairFunctionDeps, caller: Caller, id: string): Promise<void> {
  requirePermission(caller, 'reactor:delete');
  const { tenantId } = caller;
  const deleting = await whileNotMoved(deps, { tenantId, id }, () =>
    retryConflict(deps, async () => {
      const reactor = await existingReactor(deps, tenantId, id);
      requireMatch(caller, reactor);
      return (await startOperation(deps, reactor, { state: 'deleting' })) ?? 'conflict';
    }),
  );
  await releaseOperationOnFailure(deps, deleting, async () => {
    await deps.reactorFunctions.remove(id);
    await deps.reactorStore.delete(deleting);
  });
}
