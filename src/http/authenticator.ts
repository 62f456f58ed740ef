import { authenticate, claimOf, type AuthenticateDeps } from '../core/access/authenticate.ts';
import type { Caller } from '../core/access/caller.ts';
import type { Secret } from '../core/shared/secret.ts';

/** Most keys that an instance remembers. An entry takes a few dozen bytes. */
const REMEMBERED_MAX = 10_000;

/** An authentication that has started. */
export interface AuthenticationAttempt {
  /** Rejects with `unauthenticated`. Every request reads the stored key again. */
  readonly caller: Promise<Caller>;
  /**
   * The tenant of a key that this instance has accepted before. It only starts reads early; no
   * response depends on it.
   */
  readonly likelyTenantId?: string;
}

/**
 * Remembers (by hash) that a key was accepted, so that the next request can read the tenant's data
 * while the key is checked. It never remembers that a key is still valid.
 */
export function createAuthenticator(
  deps: AuthenticateDeps,
): (apiKey: Secret<string>, options: { readonly withSettings: boolean }) => AuthenticationAttempt {
  const confirmed = new Set<string>();

  function remember(hash: string): void {
    const [oldest] = confirmed.size < REMEMBERED_MAX ? [] : confirmed;
    if (oldest !== undefined) confirmed.delete(oldest);
    confirmed.add(hash);
  }

  return (apiKey, { withSettings }) => {
    const claim = claimOf(apiKey);
    const hash = claim.hash.toString('base64url');
    const isConfirmed = confirmed.has(hash);
    const caller = authenticate(deps, claim, { withSettings, isConfirmed });
    caller.then(
      () => {
        remember(hash);
      },
      // The rejection is reported where the request awaits the caller.
      () => confirmed.delete(hash),
    );
    return { caller, ...(isConfirmed && { likelyTenantId: claim.tenantId }) };
  };
}
