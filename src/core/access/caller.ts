import type { Grants } from './access-rule.ts';
import type { ApplicationType } from './permission.ts';
import type { TenantSettings } from './tenant-basics.ts';

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

/** The credential of a caller in the form of a record. */
export function credentialOf({ actsBy, credentialId }: Caller): string {
  if (actsBy === 'session') return `session:${credentialId}`;
  // This id already has the form `invocation:<hash>`.
  return actsBy === 'invocation' ? credentialId : 'application';
}
