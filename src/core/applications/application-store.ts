import type { Application, Caller } from './application.ts';

/**
 * Where applications and the hashes of their keys are kept. An application and all that is read of
 * it to decide access change together or not at all. Rejects with `dependency_unavailable` when the
 * store is down.
 */
export interface ApplicationStore {
  /** Writes a new application and the hash of its key; `false` if its id is taken. */
  create(application: Application, keyHash: Buffer): Promise<boolean>;
  /**
   * The application, or `undefined` if the tenant has none of this id. Reads what was last written.
   */
  find(tenantId: string, id: string): Promise<Application | undefined>;
  /** Those of the applications that exist, in any order. */
  findMany(tenantId: string, ids: readonly string[]): Promise<readonly Application[]>;
  /** All applications of a tenant, newest first, in batches, starting after an id. */
  list(tenantId: string, after: string | undefined): AsyncIterable<readonly Application[]>;
  /**
   * Writes a changed application over the version it was made from; `false` if it has changed
   * since.
   */
  update(previous: Application, next: Application): Promise<boolean>;
  /** {@link update}, with another key: from then on the old one is unknown. */
  replaceKey(previous: Application, next: Application, keyHash: Buffer): Promise<boolean>;
  /** Deletes this version of an application and its key; `false` if it has changed since. */
  delete(application: Application): Promise<boolean>;
}

/** What a key leads to. */
export interface Credential {
  readonly keyHash: Buffer;
  readonly caller: Caller;
  /** From this instant the key is refused, in ms since the epoch. */
  readonly expiresAtMs?: number;
  /** A session that nobody has authorized yet. */
  readonly isUnauthorized?: boolean;
}

/**
 * Looks keys up. One read that holds everything that decides access, so that a revoked key is
 * refused at once.
 */
export interface CredentialStore {
  /** What the key with this hash leads to; `undefined` for one that is unknown or revoked. */
  findByKeyHash(keyHash: Buffer): Promise<Credential | undefined>;
}

/** What an application grants at this moment, and the hash of its key. */
export type ApplicationGrants = Pick<
  Application,
  'id' | 'tenantId' | 'type' | 'permissions' | 'rules' | 'expiresAtMs'
> & { readonly keyHash: Buffer };

/** Reads what applications grant to those who act for them: sessions, and code of reactors. */
export interface ApplicationGrantsStore {
  /**
   * Of those of the applications that exist, in any order, as it was last written. An expired one
   * may be among them.
   */
  grants(tenantId: string, ids: readonly string[]): Promise<readonly ApplicationGrants[]>;
}
