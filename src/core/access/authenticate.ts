import { readApiKey, sameHash, type ApiKeyClaim } from '../crypto/api-key.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import type { Clock } from '../shared/clock.ts';
import type { Secret } from '../shared/secret.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Caller } from '../applications/application.ts';
import type { Credential, CredentialStore } from '../applications/application-store.ts';
import { isDestroyed, type TenantBasics, type TenantBasicsStore } from '../tenants/tenant.ts';

export interface AuthenticateDeps {
  readonly credentialStore: CredentialStore;
  /** Sessions are credentials too, kept where they vanish. */
  readonly sessionStore: CredentialStore;
  /** So are credentials of invocations of reactors. */
  readonly invocationCredentials: CredentialStore;
  readonly tenantBasicsStore: TenantBasicsStore;
  readonly tenantKeys: Pick<TenantKeys, 'holds' | 'learn'>;
  readonly clock: Clock;
}

/** What an operation needs to know about its caller beyond who it is. */
export interface AuthenticateOptions {
  /** It depends on the tenant's settings. */
  readonly withSettings: boolean;
  /** This instance has seen the key accepted before, so that the tenant it names is its own. */
  readonly isConfirmed: boolean;
}

/** Says the same of a key that never was, one that was replaced, and one of another deployment. */
const UNKNOWN =
  'The API key is not known here: it was regenerated or deleted, or it belongs to another deployment.';

function refused(detail: string): ServiceError {
  return new ServiceError('unauthenticated', detail);
}

/**
 * The caller of a credential; `tenant` is `null` where nobody needed to read it, and `undefined`
 * where there is none.
 */
function check(
  { clock }: AuthenticateDeps,
  claim: ApiKeyClaim,
  credential: Credential | undefined,
  tenant: TenantBasics | null | undefined,
): Caller {
  if (credential === undefined || !sameHash(credential.keyHash, claim.hash)) throw refused(UNKNOWN);
  // The claim is part of what is hashed, so a credential of another tenant can only be a mistake of
  // the store.
  const isOfTenant = credential.caller.tenantId === claim.tenantId;
  const hasEnded = tenant === undefined || (tenant !== null && isDestroyed(tenant));
  if (!isOfTenant || hasEnded) throw refused(UNKNOWN);
  if (credential.expiresAtMs !== undefined && credential.expiresAtMs <= clock())
    throw refused('The API key has expired.');
  if (credential.isUnauthorized === true)
    throw new ServiceError(
      'forbidden',
      'The session has not been authorized: a private application does so by its nonce (POST /sessions/authorize).',
    );
  return credential.caller;
}

function storeOf(deps: AuthenticateDeps, { kind }: ApiKeyClaim): CredentialStore {
  if (kind === 'session') return deps.sessionStore;
  return kind === 'invocation' ? deps.invocationCredentials : deps.credentialStore;
}

/** What a key claims. Throws `unauthenticated` for one that has no form. */
export function claimOf(apiKey: Secret<string>): ApiKeyClaim {
  const claim = readApiKey(apiKey);
  if (claim === undefined)
    throw refused(
      'The API key is not one of this service: they begin with key_, and nothing is around them.',
    );
  return claim;
}

/**
 * The caller behind a key. Throws `unauthenticated` for a key that is unknown, revoked or expired
 * or whose tenant is being destroyed, and `forbidden` for a session that has not been authorized.
 * Access is read anew for every request: nothing that decides it is remembered.
 *
 * A key that was not confirmed costs the same two reads whatever tenant it names and whatever is
 * remembered of that tenant: its credential and its tenant. Only when the credential is found does
 * anything else happen in the tenant's name; then the keys learn what was read of it.
 */
export async function authenticate(
  deps: AuthenticateDeps,
  claim: ApiKeyClaim,
  { withSettings, isConfirmed }: AuthenticateOptions,
): Promise<Caller> {
  const needsTenant = withSettings || !isConfirmed || !deps.tenantKeys.holds(claim.tenantId);
  // Asked for in one turn of the event loop: both travel in one call.
  const [credential, tenant] = await Promise.all([
    storeOf(deps, claim).findByKeyHash(claim.hash),
    needsTenant ? deps.tenantBasicsStore.basics(claim.tenantId) : null,
  ]);
  const caller = check(deps, claim, credential, tenant);
  if (!tenant) return caller;
  deps.tenantKeys.learn(claim.tenantId, tenant);
  return { ...caller, tenantSettings: tenant.settings };
}
