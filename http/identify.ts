import { authenticate, type AuthenticateDeps } from '../core/applications/authenticate.ts';
import type { Caller } from '../core/applications/application.ts';
import { hashApiKey, isApiKey } from '../core/crypto/api-key.ts';
import { Secret } from '../core/shared/secret.ts';

/** Tenants of keys that are remembered; an entry is a few dozen bytes. */
const REMEMBERED_MAX = 10_000;

/** Who makes a request, and the tenant that its key belonged to when it was last seen. */
export interface Identification {
  /** Rejects with `unauthenticated`. Decided anew for every request. */
  readonly caller: Promise<Caller>;
  /** A guess that only lets reads start early; nothing is answered from it. */
  readonly likelyTenantId: string | undefined;
}

/**
 * Identifies callers by their API key. A key never changes its tenant, so the tenant is remembered (under the key's hash) and
 * a read may go out together with the one that authenticates; whether the key is still valid is never remembered.
 */
export function createIdentify(
  deps: AuthenticateDeps,
): (apiKey: string | undefined, options: { readonly withSettings: boolean }) => Identification {
  const tenants = new Map<string, string>();

  function remember(hash: string, tenantId: string): void {
    const oldest = tenants.size < REMEMBERED_MAX ? undefined : tenants.keys().next().value;
    if (oldest !== undefined) tenants.delete(oldest);
    tenants.set(hash, tenantId);
  }

  return (given, { withSettings }) => {
    const apiKey = given === undefined ? undefined : new Secret(given);
    const isWorthALook = apiKey !== undefined && given !== undefined && isApiKey(given);
    const hash = isWorthALook ? hashApiKey(apiKey).toString('base64url') : '';
    const likelyTenantId = tenants.get(hash);
    const caller = authenticate(deps, apiKey, {
      withSettings,
      ...(likelyTenantId === undefined ? {} : { likelyTenantId }),
    });
    if (!isWorthALook) return { caller, likelyTenantId };
    const known = caller.then(({ tenantId }) => {
      remember(hash, tenantId);
    });
    // A refused key is reported where the caller is awaited.
    known.catch(() => tenants.delete(hash));
    return { caller, likelyTenantId };
  };
}
