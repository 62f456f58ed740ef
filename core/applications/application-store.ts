import type { Application } from './application.ts';

/** Where applications and the hashes of their keys are kept. Rejects with `dependency_unavailable` when it is down. */
export interface ApplicationStore {
  /**
   * Writes a new application and the hash of its key, both or neither. Both are random: one that is taken is an
   * unexpected error.
   */
  create(application: Application, keyHash: Buffer): Promise<void>;
  /** The application, or `undefined` if the tenant has none of this id. Reads what was last written. */
  find(tenantId: string, id: string): Promise<Application | undefined>;
}

/** Looks API keys up. One read that holds everything that decides access, so that a revoked key is refused at once. */
export interface CredentialStore {
  /** The application whose key has this hash, with the stored hash; `undefined` for an unknown or revoked key. */
  findByKeyHash(
    keyHash: Buffer,
  ): Promise<{ readonly application: Application; readonly keyHash: Buffer } | undefined>;
}
