import type { Conditional } from '../shared/revision.ts';
import type { Viewer } from './access-decision.ts';
import type { ApplicationType } from './permission.ts';
import type { TenantSettings } from './tenant-basics.ts';

/** An application, and the id of the key by which it acted. */
export interface Grantor {
  readonly applicationId: string;
  readonly keyId: string;
}

/** The authenticated credential behind a request, with its current grants. */
export interface Caller extends Viewer, Conditional {
  readonly tenantId: string;
  /**
   * Id of the credential itself: an application, session or invocation. Data that only one caller
   * may read is bound to it.
   */
  readonly credentialId: string;
  /**
   * Id of the application that acts. For a session, this is the one that authorized it. Everything
   * that the caller creates has this id as `created_by`.
   */
  readonly applicationId: string;
  readonly type: ApplicationType | 'session';
  /**
   * The credential that sent the request: the application's own key, a session, or the credential
   * of one invocation of a reactor (`req.bt`). `reactor` is the `tokenize` part of a reactor's
   * result. `proxy` is a call with the key of a stored proxy alone, and the transforms of any.
   */
  readonly actsBy: 'own_key' | 'session' | 'invocation' | 'reactor' | 'proxy';
  /**
   * Id of the application's key that the request came with. Whatever the key grants, such as a
   * session, ends with it.
   */
  readonly keyId?: string;
  /** The keys that made and authorized a session, which ends with each of them. */
  readonly sessionKeys?: readonly Grantor[];
  /** A session that is not authorized yet: each of its requests is recorded, and refused. */
  readonly isUnauthorized?: true;
  /** Settings of the tenant; absent unless the operation depends on them. */
  readonly tenantSettings?: TenantSettings;
}

/**
 * The caller as its writes are decided: what a request wants to see bears on its response alone
 * (docs/contract.md#see-less).
 */
export function asWriter({ atMost: _, ...writer }: Caller): Caller {
  return writer;
}

/** The keys with which everything ends that a caller starts. */
export function keysBehind({ applicationId, keyId, sessionKeys }: Caller): readonly Grantor[] {
  if (sessionKeys !== undefined) return sessionKeys;
  if (keyId === undefined) throw new Error('caller: no key of an application is behind it');
  return [{ applicationId, keyId }];
}

/** Identifies the credential of a caller in a record. */
export function credentialOf({ actsBy, credentialId, keyId }: Caller): string {
  if (actsBy === 'session') return `session:${credentialId}`;
  // These ids already have the form `invocation:<hash>`, `proxy:<id>`.
  if (actsBy === 'invocation' || actsBy === 'proxy') return credentialId;
  if (keyId === undefined) throw new Error('caller: an application acts without a key');
  return `key:${keyId}`;
}
