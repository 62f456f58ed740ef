import type { Vault } from '../crypto/vault.ts';
import { defined } from '../shared/defined.ts';
import { startOperation, type ChangeFunctionDeps } from './change-function.ts';
import { openReactor } from './open-reactor.ts';
import { openPackages } from './own-packages.ts';
import { publishLocked } from './publish-locked.ts';
import type { ReactorId } from './reactor-functions.ts';

export interface MakeAgainDeps extends ChangeFunctionDeps {
  readonly vault: Vault;
}

/**
 * Makes the function of a reactor that has none, as after a restore, from its stored code. Does
 * nothing if the function is in place, or another writer changes it. If it fails, the operation
 * stays for its time, so that no caller can repeat the calls of Lambda any faster.
 */
export async function makeAgain(deps: MakeAgainDeps, { tenantId, id }: ReactorId): Promise<void> {
  const found = await deps.reactorStore.find(tenantId, id);
  if (found?.state !== 'ready' || found.functionVersion === undefined) return;
  const locked = await startOperation(deps, found);
  if (locked === undefined) return;
  const [{ code }, packages] = await Promise.all([
    openReactor(deps.vault, locked),
    openPackages(deps, locked),
  ]);
  await publishLocked(deps, locked, locked, defined({ code, packages }));
}
