import { containersGranted } from '../applications/access-decision.ts';
import type { Caller } from '../applications/application.ts';
import { requireAccess } from '../applications/require-permission.ts';
import type { Clock } from '../shared/clock.ts';
import { ServiceError } from '../shared/service-error.ts';
import { noSuchToken } from './get-token.ts';
import { hasExpired } from './open-token.ts';
import type { TokenStore } from './token-store.ts';

export interface DeleteTokenDeps {
  readonly tokenStore: TokenStore;
  readonly clock: Clock;
}

/** Updates that may get in between before a delete gives up. */
const ATTEMPTS = 5;

/**
 * Deletes a token with everything derived from it. A plain token goes in one call to the store, which checks the caller's
 * containers itself; anything else is read, decided here, and deleted as the version that was read.
 */
export async function deleteToken(deps: DeleteTokenDeps, caller: Caller, id: string): Promise<void> {
  const below = containersGranted(caller, 'token:delete');
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const now = deps.clock();
    const outcome = await deps.tokenStore.deleteAlone(caller.tenantId, id, { below, now });
    if (outcome === 'deleted') return;
    if (outcome.kept === undefined || hasExpired(outcome.kept, now)) throw noSuchToken();
    requireAccess(caller, 'token:delete', outcome.kept);
    if (await deps.tokenStore.deleteWhole(outcome.kept)) return;
  }
  throw new ServiceError('conflict', 'The token is being changed by other requests.');
}
