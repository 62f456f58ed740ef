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
  /** From this instant the application is refused. */
  readonly expiresAtMs?: number;
  /** Starts at 1 and grows by one with each change. */
  readonly version: number;
}

/** Who makes a request: an authenticated credential with what it grants at this moment. */
export interface Caller extends Grants {
  readonly tenantId: string;
  /**
   * Id of the credential itself, application, session or invocation: what belongs to one caller
   * alone is bound to it.
   */
  readonly credentialId: string;
  /**
   * Id of the application that acts; for a session the one that authorized it. What it creates is
   * `created_by` this.
   */
  readonly applicationId: string;
  readonly type: ApplicationType | 'session';
  /**
   * What makes the request: the application's own key, a session, the credential of one invocation
   * of a reactor (`req.bt`), or what a reactor's code asked to tokenize.
   */
  readonly actsBy: 'own_key' | 'session' | 'invocation' | 'reactor';
  /** Settings of the tenant, for operations that depend on them. */
  readonly tenantSettings?: TenantSettings;
}

/** Longest name of an application or a reactor (docs/contract.md#limits). */
export const NAME_MAX_LENGTH = 200;
