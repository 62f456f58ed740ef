import type { Caller } from '../access/caller.ts';
import { requireAccess } from '../access/require-permission.ts';
import { createBudget } from '../expressions/budget.ts';
import { ServiceError } from '../shared/service-error.ts';
import { openToken, type OpenTokenDeps } from './open-token.ts';
import { hasExpired } from './expiration.ts';
import { findOnce, type PrefetchedToken, type PrefetchedTokenDeps } from './prefetched-token.ts';
import type { TokenView } from './token.ts';

/** The error for a token that is missing, has expired, or belongs to another tenant. */
export function noSuchToken(): ServiceError {
  return new ServiceError('not_found', 'The token does not exist.');
}

/** The token with this id as the caller's rule for `token:read` shows it. */
export async function getToken(
  deps: OpenTokenDeps & PrefetchedTokenDeps,
  caller: Caller,
  id: string,
  prefetched?: PrefetchedToken,
): Promise<TokenView> {
  const stored = await findOnce(deps, caller, id, prefetched);
  if (stored?.tenantId !== caller.tenantId || hasExpired(stored, deps.clock())) throw noSuchToken();
  return openToken(
    deps,
    stored,
    requireAccess(caller, 'token:read', stored),
    createBudget(deps.random.integer),
  );
}
