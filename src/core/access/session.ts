import type { EgressAllowList } from '../egress/destination.ts';
import { base58 } from '@scure/base';
import { generateApiKey, hashApiKey } from '../crypto/api-key.ts';
import { FieldReporter } from '../shared/field-reporter.ts';
import { Secret } from '../shared/secret.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import type { Grants } from './access-rule.ts';
import type { Caller, Grantor } from './caller.ts';
import { permissionsBeyond } from './delegation.ts';
import { checkSessionRules } from './validate-grants.ts';
import type { Platform } from '../shared/platform.ts';

export const SESSION_LIMITS = {
  /** Lifetime of a session unless its authorization sets one (docs/contract.md#sessions). */
  lifetimeMs: 3 * 60 * 1000,
  longestLifetimeMs: 24 * 60 * 60 * 1000,
  /**
   * Most bytes of the grants as JSON, which are in the session's item. An application cannot have
   * as many.
   */
  grantsBytes: 300_000,
} as const;
const NONCE_BYTES = 24;

/** A session that is not authorized yet. */
export interface NewSession {
  readonly id: string;
  readonly tenantId: string;
  /** The public application that created the session, and has it only while this is its key. */
  readonly createdBy: Grantor;
  readonly keyHash: Buffer;
  readonly nonceHash: Buffer;
  readonly expiresAtMs: number;
}

/** The grants that a private application gives to a session. */
export interface SessionGrants extends Grants {
  /**
   * The private application that authorizes the session. The grants apply only while this is its
   * key.
   */
  readonly authorizedBy: Grantor;
  readonly expiresAtMs: number;
}

/** A nonce, and the session that it leads to. */
export interface FoundNonce extends Pick<NewSession, 'tenantId' | 'nonceHash' | 'keyHash' | 'expiresAtMs'> {
  readonly sessionId: string;
  readonly isUsed: boolean;
}

/** Stores sessions and nonces, in the table without backups. */
export interface SessionStore {
  create(session: NewSession): Promise<void>;
  /**
   * The nonce with its session; `undefined` if the tenant does not have the nonce, or if the key
   * that made the session is no longer that of its application.
   */
  findNonce(tenantId: string, nonceHash: Buffer): Promise<FoundNonce | undefined>;
  /**
   * Uses up the nonce and sets the grants of its session, atomically; `false` if a concurrent
   * request was faster.
   */
  authorize(nonce: FoundNonce, grants: SessionGrants): Promise<boolean>;
}

export interface SessionDeps extends Pick<Platform, 'clock' | 'random'> {
  readonly sessionStore: SessionStore;
  readonly egressAllowList: EgressAllowList;
}

function requireType(caller: Caller, type: 'public' | 'private', what: string): void {
  if (caller.type !== type)
    throw new ServiceError('forbidden', `Only ${type} applications ${what} sessions.`);
  if (caller.actsBy === 'invocation')
    throw new ServiceError('forbidden', `The credential of an invocation does not ${what} sessions.`);
}

/**
 * The application of a caller with its own key. No other caller may create or authorize sessions.
 */
function grantorOf({ applicationId, keyId }: Caller): Grantor {
  if (keyId === undefined) throw new Error('session: the caller has no key of an application');
  return { applicationId, keyId };
}

/** A new session; its key and nonce are shown only once. */
export interface CreatedSession {
  readonly key: Secret<string>;
  readonly nonce: Secret<string>;
  readonly expiresAtMs: number;
}

/**
 * Creates a session for a public application: a key without any access, and a nonce. A private
 * application uses the nonce to grant access.
 */
export async function createSession(
  deps: SessionDeps,
  caller: Caller,
  writes: WriteIdentity,
): Promise<CreatedSession> {
  requireType(caller, 'public', 'create');
  const key = generateApiKey(deps.random, 'session', caller.tenantId);
  const nonce = new Secret(base58.encode(deps.random.bytes(NONCE_BYTES)));
  const expiresAtMs = deps.clock() + SESSION_LIMITS.lifetimeMs;
  const { tenantId } = caller;
  const hashes = { keyHash: hashApiKey(key), nonceHash: hashApiKey(nonce) };
  await deps.sessionStore.create({
    id: writes.newId(),
    tenantId,
    createdBy: grantorOf(caller),
    ...hashes,
    expiresAtMs,
  });
  return { key, nonce, expiresAtMs };
}

export interface Authorization extends Grants {
  readonly nonce: Secret<string>;
  readonly expiresAtMs?: number;
}

function checkAuthorization(
  { permissions, rules, expiresAtMs }: Authorization,
  allowList: EgressAllowList,
  now: number,
): void {
  if (Buffer.byteLength(JSON.stringify({ permissions, rules })) > SESSION_LIMITS.grantsBytes)
    throw new ServiceError(
      'payload_too_large',
      `Permissions and rules of a session are at most ${String(SESSION_LIMITS.grantsBytes)} bytes of JSON.`,
    );
  const fields = new FieldReporter();
  if (permissions.length === 0 && rules.length === 0)
    fields.report('permissions', 'permissions or rules must not be empty');
  checkSessionRules(rules, allowList, fields.report);
  if (expiresAtMs !== undefined && expiresAtMs <= now) fields.report('expires_at', 'must be in the future');
  if (expiresAtMs !== undefined && expiresAtMs > now + SESSION_LIMITS.longestLifetimeMs)
    fields.report(
      'expires_at',
      `must be within ${String(SESSION_LIMITS.longestLifetimeMs / 3_600_000)} hours`,
    );
  fields.throwIfFailed();
}

/**
 * Grants access once. Throws `validation_failed`, `not_found` for an unknown or ended nonce, and
 * `conflict` for a used one. Throws `forbidden` for more than the application has, which leaves the
 * nonce unused.
 */
export async function authorizeSession(
  deps: SessionDeps,
  caller: Caller,
  authorization: Authorization,
): Promise<void> {
  requireType(caller, 'private', 'authorize');
  const now = deps.clock();
  checkAuthorization(authorization, deps.egressAllowList, now);
  const nonceHash = hashApiKey(authorization.nonce);
  const nonce = await deps.sessionStore.findNonce(caller.tenantId, nonceHash);
  if (nonce === undefined || nonce.expiresAtMs <= now)
    throw new ServiceError('not_found', 'The nonce does not exist, or its session has ended.');
  const used = new ServiceError('conflict', 'The nonce has been used.');
  if (nonce.isUsed) throw used;
  const beyond = permissionsBeyond(caller, authorization);
  if (beyond.length > 0) {
    throw new ServiceError(
      'forbidden',
      `The application cannot grant more than it holds: ${beyond.join(', ')}.`,
    );
  }
  const { permissions, rules, expiresAtMs = nonce.expiresAtMs } = authorization;
  const grants = { permissions, rules, authorizedBy: grantorOf(caller), expiresAtMs };
  if (!(await deps.sessionStore.authorize(nonce, grants))) throw used;
}
