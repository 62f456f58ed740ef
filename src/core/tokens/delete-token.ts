import { containersGranted } from '../access/access-decision.ts';
import type { Caller } from '../access/caller.ts';
import { requireAccess } from '../access/require-permission.ts';
import { isUuid } from '../shared/is-uuid.ts';
import { retryConflict } from '../shared/retry-conflict.ts';
import { noSuchToken } from './get-token.ts';
import { hasExpired } from './expiration.ts';
import type { TokenStore } from './token-store.ts';
import type { Platform } from '../shared/platform.ts';

export interface DeleteTokenDeps extends Platform {
  readonly tokenStore: TokenStore;
}

/**
 * Deletes a token with everything derived from it. If the caller may delete every token, a plain
 * one takes one call. Any other is deleted only in the version that was checked. So a denied
 * request has no effect that the audit trail would announce. Throws `conflict` if concurrent
 * updates win several times.
 */
export async function deleteToken(deps: DeleteTokenDeps, caller: Caller, id: string): Promise<void> {
  const mayDeleteAny = containersGranted(caller, 'token:delete').includes('/');
  await retryConflict(deps, async () => {
    const now = deps.clock();
    // The request's audit record has only UUIDs before the store is called, because any other id
    // may be data.
    const outcome =
      mayDeleteAny && isUuid(id)
        ? await deps.tokenStore.deleteIfStandalone(caller.tenantId, id, now)
        : { remaining: await deps.tokenStore.find(caller.tenantId, id) };
    if (outcome === 'deleted') return 'deleted';
    if (outcome.remaining === undefined || hasExpired(outcome.remaining, now)) throw noSuchToken();
    requireAccess(caller, 'token:delete', outcome.remaining);
    return (await deps.tokenStore.deleteVersion(outcome.remaining)) ? 'deleted' : 'conflict';
  });
}
