import { containersGranted } from '../access/access-decision.ts';
import type { Caller } from '../applications/application.ts';
import { requireAccess } from '../access/require-permission.ts';
import type { Clock } from '../shared/clock.ts';
import { isUuid } from '../shared/uuid.ts';
import { retryRace } from '../shared/retry-race.ts';
import { noSuchToken } from './get-token.ts';
import { hasExpired } from './expiration.ts';
import type { TokenStore } from './token-store.ts';

export interface DeleteTokenDeps {
  readonly tokenStore: TokenStore;
  readonly clock: Clock;
}

/**
 * Deletes a token with everything derived from it. A plain token with a UUID as its id goes in one
 * call to the store, which checks the caller's containers itself; anything else is read, decided
 * here, and deleted as the version that was read. Throws `conflict` if updates get in between again
 * and again.
 */
export async function deleteToken(deps: DeleteTokenDeps, caller: Caller, id: string): Promise<void> {
  const below = containersGranted(caller, 'token:delete');
  await retryRace(async () => {
    const now = deps.clock();
    // The audit trail has the id before the store is asked; one that is no UUID may be anything.
    const outcome = isUuid(id)
      ? await deps.tokenStore.deleteAlone(caller.tenantId, id, { below, now })
      : { kept: await deps.tokenStore.find(caller.tenantId, id) };
    if (outcome === 'deleted') return 'deleted';
    if (outcome.kept === undefined || hasExpired(outcome.kept, now)) throw noSuchToken();
    requireAccess(caller, 'token:delete', outcome.kept);
    return (await deps.tokenStore.deleteWhole(outcome.kept)) ? 'deleted' : 'lost';
  });
}
