import type { Application, Caller } from './application.ts';

/**
 * Where applications and the hashes of their keys are stored. An application and all data for its
 * access decisions change atomically. Rejects with `dependency_unavailable` when the store is down.
 */
export interface ApplicationStore {
  /** Writes a new application and the hash of its key; `false` if its id is in use. */
  create(application: Application, keyHash: Buffer): Promise<boolean>;
  /** The application as last written, or `undefined` if the tenant has none with this id. */
  find(tenantId: string, id: string): Promise<Application | undefined>;
  /** Those of the applications that exist, in any order. */
  findMany(tenantId: string, ids: readonly string[]): Promise<readonly Application[]>;
  /** All applications of a tenant in batches, newest first, that come after an id. */
  list(tenantId: string, after: string | undefined): AsyncIterable<readonly Application[]>;
  /**
   * Replaces the version `previous`, from which `next` was made; `false` if it has changed since.
   */
  update(previous: Application, next: Application): Promise<boolean>;
  /** {@link update} with another key; the old key is unknown afterwards. */
  replaceKey(previous: Application, next: Application, keyHash: Buffer): Promise<boolean>;
  /** Deletes this version of an application and its key; `false` if it has changed since. */
  delete(application: Application): Promise<boolean>;
}

/** The stored record of a key. */
export interface Credential {
  readonly keyHash: Buffer;
  readonly caller: Caller;
  /** The key is rejected from this time on, in ms since the epoch. */
  readonly expiresAtMs?: number;
  /** A session that is not authorized yet. */
  readonly isUnauthorized?: boolean;
}

/**
 * Looks up keys. A single read returns everything that decides access, so that a revoked key is
 * rejected immediately.
 */
export interface CredentialStore {
  /** The credential with this key hash; `undefined` for a key that is unknown or revoked. */
  findByKeyHash(keyHash: Buffer): Promise<Credential | undefined>;
}

/** The current grants of an application, and the hash of its key. */
export type ApplicationGrants = Pick<
  Application,
  'id' | 'tenantId' | 'type' | 'permissions' | 'rules' | 'expiresAtMs'
> & { readonly keyHash: Buffer };

/** Reads the grants of applications for sessions and reactor code that act on their behalf. */
export interface ApplicationGrantsStore {
  /**
   * The grants of those of the applications that exist, in any order, as last written. An expired
   * one may be among them.
   */
  grants(tenantId: string, ids: readonly string[]): Promise<readonly ApplicationGrants[]>;
}
