import type { Caller } from '../applications/application.ts';
import { requirePermission } from '../access/require-permission.ts';
import { retryRace } from '../shared/retry-race.ts';
import { orLeaveToSweep, startOperation, type RepairFunctionDeps } from './change-function.ts';
import { existingReactor } from './get-reactor.ts';

/**
 * Deletes a reactor with its function. The record goes out of sight first and away last: an
 * interrupted deletion is finished by the sweep, and leaves no function behind.
 */
export async function deleteReactor(deps: RepairFunctionDeps, caller: Caller, id: string): Promise<void> {
  requirePermission(caller, 'reactor:delete');
  const deleting = await retryRace(async () => {
    const reactor = await existingReactor(deps, caller.tenantId, id);
    return (await startOperation(deps, reactor, { state: 'deleting' })) ?? 'lost';
  });
  await orLeaveToSweep(deps, deleting, async () => {
    await deps.reactorFunctions.remove(id);
    await deps.reactorStore.delete(deleting);
  });
}
