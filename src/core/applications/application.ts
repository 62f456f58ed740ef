import type { Grants } from '../access/access-rule.ts';
import type { TenantSettings } from '../tenants/tenant-settings.ts';
import type { ApplicationType } from '../access/permission.ts';

/**
 * An application: an API credential with its access (docs/contract.md#the-application-object).
 * Times in ms since the epoch.
 */
export interface Application extends Grants {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly type: ApplicationType;
  readonly createdBy?: string;
  readonly createdAt: number;
  readonly modifiedBy?: string;
  readonly modifiedAt?: number;
  /** The application is rejected from this time on. */
  readonly expiresAtMs?: number;
  /** Starts at 1 and increases by one with each change. */
  readonly version: number;
}

/** The authenticated credential behind a request, with its current grants. */
export interface Caller extends Grants {
  readonly tenantId: string;
  /**
   * Id of the credential itself: an application, session or invocation. Data of a single caller is
   * bound to it.
   */
  readonly credentialId: string;
  /**
   * Id of the application that acts; for a session, the one that authorized it. `created_by` of
   * everything that the caller creates.
   */
  readonly applicationId: string;
  readonly type: ApplicationType | 'session';
  /**
   * The source of the request: the application's own key, a session, the credential of one
   * invocation of a reactor (`req.bt`), or the `tokenize` part of a reactor's result.
   */
  readonly actsBy: 'own_key' | 'session' | 'invocation' | 'reactor';
  /**
   * Hash of the application's key that the request came with; present exactly for `own_key`. What
   * the key grants ends with it.
   */
  readonly keyHash?: Buffer;
  /** Settings of the tenant, for operations that depend on them. */
  readonly tenantSettings?: TenantSettings;
}

/** Longest name of an application or a reactor (docs/contract.md#limits). */
export const NAME_MAX_LENGTH = 200;
