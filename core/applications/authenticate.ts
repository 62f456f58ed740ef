import { apiKeyKind, hashApiKey, isApiKey, sameHash, type ApiKeyKind } from '../crypto/api-key.ts';
import type { Clock } from '../shared/clock.ts';
import type { Secret } from '../shared/secret.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Caller } from './application.ts';
import type { Credential, CredentialStore } from './application-store.ts';

export interface AuthenticateDeps {
  readonly credentialStore: CredentialStore;
  /** Sessions are credentials too, kept where they vanish. */
  readonly sessionStore: Pick<CredentialStore, 'findByKeyHash'>;
  /** So are credentials of invocations of reactors. */
  readonly invocationCredentials: Pick<CredentialStore, 'findByKeyHash'>;
  readonly clock: Clock;
}

/** What an operation needs to know about its caller beyond who it is. */
export interface AuthenticateOptions {
  /** Read the tenant's settings along. */
  readonly withSettings: boolean;
  /** The tenant that the key belonged to when it was last seen. */
  readonly likelyTenantId?: string;
}

function refused(detail: string): ServiceError {
  return new ServiceError('unauthenticated', detail);
}

async function withSettings(deps: AuthenticateDeps, caller: Caller): Promise<Caller> {
  if (caller.tenantSettings !== undefined) return caller;
  return { ...caller, tenantSettings: await deps.credentialStore.settings(caller.tenantId) };
}

function check(deps: AuthenticateDeps, credential: Credential | undefined, hash: Buffer): Caller {
  if (credential === undefined || !sameHash(credential.keyHash, hash))
    throw refused('The API key is not valid.');
  if (credential.expiresAt !== undefined && credential.expiresAt <= deps.clock())
    throw refused('The API key has expired.');
  if (credential.isUnauthorized === true)
    throw new ServiceError('forbidden', 'The session has not been authorized.');
  return credential.caller;
}

function storeOf(deps: AuthenticateDeps, kind: ApiKeyKind) {
  if (kind === 'session') return deps.sessionStore;
  return kind === 'invocation' ? deps.invocationCredentials : deps.credentialStore;
}

/**
 * The caller behind a key. Throws `unauthenticated` for a key that is missing, unknown, revoked or expired, and `forbidden` for a session
 * that has not been authorized. Access is read anew for every request: nothing that decides it is remembered.
 */
export async function authenticate(
  deps: AuthenticateDeps,
  apiKey: Secret<string> | undefined,
  options: AuthenticateOptions = { withSettings: false },
): Promise<Caller> {
  if (apiKey === undefined) throw refused('The API key is missing.');
  if (!isApiKey(apiKey.reveal())) throw refused('The API key is not valid.');
  const hash = hashApiKey(apiKey);
  const store = storeOf(deps, apiKeyKind(apiKey));
  const caller = check(
    deps,
    await store.findByKeyHash(hash, options.withSettings ? options.likelyTenantId : undefined),
    hash,
  );
  return options.withSettings ? withSettings(deps, caller) : caller;
}
