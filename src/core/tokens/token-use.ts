import type { Sightings } from '../audit/audit-scope.ts';
import type { Way } from '../access/access-decision.ts';
import type { Caller } from '../access/caller.ts';
import { requireAccess } from '../access/require-permission.ts';
import type { Clock } from '../shared/clock.ts';
import type { Container } from '../shared/container.ts';
import { defined } from '../shared/defined.ts';
import { ServiceError } from '../shared/service-error.ts';
import { hasExpired } from './expiration.ts';
import type { StoredToken } from './token.ts';
import type { TokenStore } from './token-store.ts';

/**
 * A token from which a stored response was made, or that it shows. Once the token is deleted, the
 * response is no longer returned (docs/contract.md#run-code-once).
 */
export interface TokenUse {
  readonly id: string;
  /** Unique in the tenant. A later token with the same id has another position. */
  readonly position: string;
  /**
   * End of the cvc that was filled in. Once that cvc is removed or replaced, the response is no
   * longer returned.
   */
  readonly cvcUntil?: number;
  /** The containers on which `token:use` was needed. Absent for a token that is only shown. */
  readonly containers?: readonly Container[];
}

export interface TokenUseDeps {
  readonly tokenStore: Pick<TokenStore, 'findSummaries'>;
  readonly clock: Clock;
  readonly audit: Sightings;
}

/** The stored fields of a token that was filled in or shown. */
export type UsedToken = Pick<StoredToken, 'id' | 'position' | 'containers' | 'cvcUntil'>;

export function tokenUseOf({ id, position, containers, cvcUntil }: UsedToken): TokenUse {
  return defined({ id, position, containers, cvcUntil });
}

/** The error for a response that is no longer available because its tokens are not. */
export function resultNotAvailable(): ServiceError {
  return new ServiceError(
    'conflict',
    'The code has run, and its response is no longer stored. It does not run again.',
  );
}

/** Throws `forbidden` without `token:use` in this way on the containers that the tokens had. */
function requireFormerUse(caller: Caller, way: Way, uses: readonly TokenUse[]): void {
  for (const { id, containers } of uses)
    if (containers !== undefined) requireAccess(caller, { use: way }, { id, containers });
}

/**
 * Whether all of the tokens still exist. Throws `forbidden` without `token:use` in this way on
 * their former or present containers.
 */
export async function mayUseAgain(
  deps: TokenUseDeps,
  caller: Caller,
  way: Way,
  uses: readonly TokenUse[],
): Promise<boolean> {
  requireFormerUse(caller, way, uses);
  deps.audit.named(uses.map(({ id }) => id));
  if (uses.length === 0) return true;
  const summaries = await deps.tokenStore.findSummaries(caller.tenantId, [
    ...new Set(uses.map(({ id }) => id)),
  ]);
  const now = deps.clock();
  const mayUse = uses.every(({ id, position, containers, cvcUntil }) => {
    const summary = summaries.find((each) => each.id === id);
    if (summary?.position !== position || hasExpired(summary, now)) return false;
    if (containers !== undefined) requireAccess(caller, { use: way }, summary);
    return cvcUntil === undefined || summary.cvcUntil === cvcUntil;
  });
  // The response shows what was made from the tokens, so they are reported again.
  if (mayUse) for (const summary of summaries) deps.audit.saw(summary, 'use');
  return mayUse;
}
