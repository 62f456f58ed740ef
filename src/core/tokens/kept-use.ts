import type { Sightings } from '../audit/audit-scope.ts';
import type { Caller } from '../applications/application.ts';
import { requireAccess } from '../access/require-permission.ts';
import type { Clock } from '../shared/clock.ts';
import type { Container } from '../shared/container.ts';
import { defined } from '../shared/defined.ts';
import { ServiceError } from '../shared/service-error.ts';
import { hasExpired } from './expiration.ts';
import type { StoredToken } from './token.ts';
import type { TokenStore } from './token-store.ts';

/**
 * A token that a kept answer was made from, or shows: when it is gone, so is the answer
 * (docs/contract.md#run-code-once).
 */
export interface KeptUse {
  readonly id: string;
  /** Another token under the same id has another one. */
  readonly position: string;
  /**
   * Until when the cvc lives that was filled in with it; one that was removed or replaced takes the
   * answer along.
   */
  readonly cvcUntil?: number;
  /** Where `token:use` was needed; absent for a token that the answer only shows. */
  readonly containers?: readonly Container[];
}

export interface KeptUseDeps {
  readonly tokenStore: Pick<TokenStore, 'findHeads'>;
  readonly clock: Clock;
  readonly audit: Sightings;
}

/** What is kept of a token that was filled in or shown. */
export type UsedToken = Pick<StoredToken, 'id' | 'position' | 'containers' | 'cvcUntil'>;

export function keepUse({ id, position, containers, cvcUntil }: UsedToken): KeptUse {
  return defined({ id, position, containers, cvcUntil });
}

/** What a caller is told whose answer went with what it was made from. */
export function noLongerKept(): ServiceError {
  return new ServiceError(
    'conflict',
    'The code has run, and its answer is no longer kept. It does not run again.',
  );
}

/**
 * Throws `forbidden` without `token:use` where it was needed, then and now; whether all of the
 * tokens are still there.
 */
export async function mayUseAgain(
  deps: KeptUseDeps,
  caller: Caller,
  uses: readonly KeptUse[],
): Promise<boolean> {
  for (const { id, containers } of uses)
    if (containers !== undefined) requireAccess(caller, 'token:use', { id, containers });
  deps.audit.named(uses.map(({ id }) => id));
  if (uses.length === 0) return true;
  const heads = await deps.tokenStore.findHeads(caller.tenantId, [...new Set(uses.map(({ id }) => id))]);
  const now = deps.clock();
  const mayUse = uses.every(({ id, position, containers, cvcUntil }) => {
    const head = heads.find((each) => each.id === id);
    if (head?.position !== position || hasExpired(head, now)) return false;
    if (containers !== undefined) requireAccess(caller, 'token:use', head);
    return cvcUntil === undefined || head.cvcUntil === cvcUntil;
  });
  // What was made from them is shown again.
  if (mayUse) for (const head of heads) deps.audit.saw(head, 'use');
  return mayUse;
}
