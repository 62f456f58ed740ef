import type { Application } from '../applications/application.ts';
import { generateApiKey, hashApiKey } from '../crypto/api-key.ts';
import type { Platform } from '../shared/platform.ts';
import type { Secret } from '../shared/secret.ts';

/** A credential that acts as a reactor's application while one invocation runs. */
export interface InvocationCredential {
  readonly keyHash: Buffer;
  readonly tenantId: string;
  readonly applicationId: string;
  /**
   * The credential is rejected from this time on, even if it was not revoked; ms since the epoch.
   */
  readonly expiresAtMs: number;
}

/** Stores credentials of invocations, in the table without backups. */
export interface InvocationCredentialStore {
  create(credential: InvocationCredential): Promise<void>;
  /** Revokes the credential. A missing one is not an error. */
  remove(keyHash: Buffer): Promise<void>;
}

export interface InvocationCredentialDeps extends Pick<Platform, 'random'> {
  readonly invocationCredentials: InvocationCredentialStore;
}

/**
 * Runs a function with a credential that is revoked afterwards
 * (docs/contract.md#code-of-a-reactor). If it cannot be revoked, it expires no later than the
 * deadline of the code.
 */
export async function withInvocationCredential<T>(
  { invocationCredentials, random }: InvocationCredentialDeps,
  { tenantId, id: applicationId }: Pick<Application, 'tenantId' | 'id'>,
  expiresAtMs: number,
  run: (apiKey: Secret<string>) => Promise<T>,
): Promise<T> {
  const apiKey = generateApiKey(random, 'invocation', tenantId);
  const keyHash = hashApiKey(apiKey);
  await invocationCredentials.create({ keyHash, tenantId, applicationId, expiresAtMs });
  try {
    return await run(apiKey);
  } finally {
    await invocationCredentials.remove(keyHash).catch(() => undefined);
  }
}
