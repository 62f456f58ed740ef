import { hashApiKey, isApiKey, sameHash } from '../crypto/api-key.ts';
import type { Clock } from '../shared/clock.ts';
import type { Secret } from '../shared/secret.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Caller } from './application.ts';
import type { CredentialStore } from './application-store.ts';

export interface AuthenticateDeps {
  readonly credentialStore: CredentialStore;
  readonly clock: Clock;
}

function refused(detail: string): ServiceError {
  return new ServiceError('unauthenticated', detail);
}

/**
 * The caller behind an API key. Throws `unauthenticated` for a key that is missing, unknown, revoked or expired. Access is
 * read anew for every request: nothing that decides it is remembered.
 */
export async function authenticate(
  deps: AuthenticateDeps,
  apiKey: Secret<string> | undefined,
): Promise<Caller> {
  if (apiKey === undefined) throw refused('The API key is missing.');
  if (!isApiKey(apiKey.reveal())) throw refused('The API key is not valid.');
  const hash = hashApiKey(apiKey);
  const credential = await deps.credentialStore.findByKeyHash(hash);
  if (credential === undefined || !sameHash(credential.keyHash, hash))
    throw refused('The API key is not valid.');
  const { application } = credential;
  if (application.expiresAt !== undefined && application.expiresAt <= deps.clock())
    throw refused('The API key has expired.');
  const { tenantId, type, permissions, rules } = application;
  return { tenantId, applicationId: application.id, type, permissions, rules };
}
