import type { Application } from '../applications/application.ts';
import { generateApiKey, hashApiKey } from '../crypto/api-key.ts';
import type { Secret } from '../shared/secret.ts';

/** A credential that acts as a reactor's application while one invocation runs. */
export interface InvocationCredential {
  readonly keyHash: Buffer;
  readonly tenantId: string;
  readonly applicationId: string;
  /** From this instant it is refused, whatever becomes of the invocation; ms since the epoch. */
  readonly expiresAtMs: number;
}

/** Where credentials of invocations are kept: they vanish. */
export interface InvocationCredentialStore {
  create(credential: InvocationCredential): Promise<void>;
  /** Revokes it; no error if it is gone. */
  remove(keyHash: Buffer): Promise<void>;
}

/**
 * Runs something with a credential that ends with it (docs/contract.md#code-of-a-reactor). Revoking
 * may fail: then the credential ends by its expiry, which is no later than the code's own deadline.
 */
export async function withInvocationCredential<T>(
  credentials: InvocationCredentialStore,
  { tenantId, id: applicationId }: Pick<Application, 'tenantId' | 'id'>,
  expiresAtMs: number,
  run: (apiKey: Secret<string>) => Promise<T>,
): Promise<T> {
  const apiKey = generateApiKey('invocation', tenantId);
  const keyHash = hashApiKey(apiKey);
  await credentials.create({ keyHash, tenantId, applicationId, expiresAtMs });
  try {
    return await run(apiKey);
  } finally {
    await credentials.remove(keyHash).catch(() => undefined);
  }
}
