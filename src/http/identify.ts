import { authenticate, claimOf, type AuthenticateDeps } from '../core/access/authenticate.ts';
import type { Caller } from '../core/applications/application.ts';
import type { Secret } from '../core/shared/secret.ts';

/** Keys that are remembered; an entry is a few dozen bytes. */
const REMEMBERED_MAX = 10_000;

/** Who makes a request. */
export interface Identification {
  /** Rejects with `unauthenticated`. Decided anew for every request. */
  readonly caller: Promise<Caller>;
  /**
   * The tenant of a key that this instance has seen accepted before: a guess that only lets reads
   * start early, from which nothing is answered.
   */
  readonly likelyTenantId?: string;
}

/**
 * Identifies callers by their API key. That a key was accepted is remembered (by its hash), since
 * the tenant it names is then its own and a read may go out together with the one that
 * authenticates; whether it is still valid is never remembered.
 */
export function createIdentify(
  deps: AuthenticateDeps,
): (apiKey: Secret<string>, options: { readonly withSettings: boolean }) => Identification {
  const confirmed = new Set<string>();

  function remember(hash: string): void {
    const [oldest] = confirmed.size < REMEMBERED_MAX ? [] : confirmed;
    if (oldest !== undefined) confirmed.delete(oldest);
    confirmed.add(hash);
  }

  return (given, { withSettings }) => {
    const claim = claimOf(given);
    const hash = claim.hash.toString('base64url');
    const isConfirmed = confirmed.has(hash);
    const caller = authenticate(deps, claim, { withSettings, isConfirmed });
    caller.then(
      () => {
        remember(hash);
      },
      // A refused key is reported where the caller is awaited.
      () => confirmed.delete(hash),
    );
    return { caller, ...(isConfirmed && { likelyTenantId: claim.tenantId }) };
  };
}
