import { hasKeyPrefix, isProxyKey, readApiKey, sameHash, type ApiKeyContent } from '../crypto/api-key.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import type { Clock } from '../shared/clock.ts';
import type { Secret } from '../shared/secret.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Caller } from './caller.ts';
import {
  RETIRED_MS,
  type Credential,
  type CredentialStore,
  type EndedKey,
  type KeyUses,
  type OwnKey,
  type RetiredKey,
} from './credential-store.ts';
import { RefusedKeyError } from './refused-key.ts';
import { isWithin } from './source-networks.ts';
import type { TenantBasics, TenantBasicsStore } from './tenant-basics.ts';
import { isDestroyed } from '../crypto/key-ring.ts';

export interface AuthenticateDeps {
  readonly credentialStore: CredentialStore;
  /** Credentials of sessions, which are in the table without backups. */
  readonly sessionStore: CredentialStore;
  /** Credentials of invocations of reactors, which are in the same table. */
  readonly invocationCredentials: CredentialStore;
  readonly keyUses: KeyUses;
  readonly tenantBasicsStore: TenantBasicsStore;
  readonly tenantKeys: Pick<TenantKeys, 'holds' | 'learn'>;
  readonly clock: Clock;
}

/** An operation needs these in addition to the identity of its caller. */
export interface AuthenticateOptions {
  /** The operation depends on the tenant's settings. */
  readonly withSettings: boolean;
  /**
   * This instance has accepted the key before, so the key really belongs to the tenant it names.
   */
  readonly isConfirmed: boolean;
  /** The address that the gateway, or CloudFront in front of it, saw. */
  readonly source: string;
}

/**
 * The message does not reveal whether a key never existed, was replaced, or is of another
 * deployment.
 */
export const UNKNOWN_KEY =
  'The API key is unknown: it was regenerated or deleted, it belongs to another deployment, or it was not copied whole.';

/**
 * The text of the key alone decides this, before anything is read, so it reveals nothing about any
 * key.
 */
const NOT_WHOLE = 'The API key is not whole: a part of it is missing, or something was added or changed.';

export function refusedKey(detail: string): ServiceError {
  return new ServiceError('unauthenticated', detail);
}

const wordsOf = ({ proxyId }: OwnKey): string => (proxyId === undefined ? 'API key' : 'key of the proxy');

/** The error for a key whose end has come. */
function endedKey(key: OwnKey, now: number): ServiceError {
  if ((key.expiresAtMs ?? Infinity) + RETIRED_MS <= now) return refusedKey(UNKNOWN_KEY);
  return new RefusedKeyError('key_expired', `The ${wordsOf(key)} has expired.`, { key, isRetired: true });
}

/** Checks what a key has of its own, after it was found: its end, and where it is used. */
export function checkOwnKey(key: OwnKey, source: string, now: number): void {
  const { expiresAtMs = Infinity, sourceAddresses } = key;
  if (expiresAtMs <= now) throw endedKey(key, now);
  if (sourceAddresses.length > 0 && !isWithin(sourceAddresses, source))
    throw new RefusedKeyError(
      'address_not_allowed',
      `The ${wordsOf(key)} is not accepted from this address.`,
      {
        key,
        isRetired: false,
      },
    );
}

/**
 * The credential, if it exists. `tenant` is `null` if it did not have to be read, and `undefined`
 * if there is no such tenant.
 */
function checkExists(
  content: ApiKeyContent,
  credential: Credential | EndedKey | RetiredKey | undefined,
  tenant: TenantBasics | null | undefined,
): Credential | EndedKey {
  if (credential === undefined || !sameHash(credential.keyHash, content.hash)) throw refusedKey(UNKNOWN_KEY);
  if ('retired' in credential)
    throw new RefusedKeyError('unauthenticated', UNKNOWN_KEY, { key: credential.retired, isRetired: true });
  const { tenantId } = 'ended' in credential ? credential.ended : credential.caller;
  // The hash covers the content, so only a fault of the store can return a credential of another
  // tenant.
  const isOfTenant = tenantId === content.tenantId;
  const hasEnded = tenant === undefined || (tenant !== null && isDestroyed(tenant));
  if (!isOfTenant || hasEnded) throw refusedKey(UNKNOWN_KEY);
  return credential;
}

/** The caller of a credential that exists. */
function check(credential: Credential | EndedKey, source: string, now: number): Caller {
  if ('ended' in credential) throw endedKey(credential.ended, now);
  if (credential.expiresAtMs !== undefined && credential.expiresAtMs <= now)
    throw refusedKey('The application of the API key has expired, or its session.');
  if (credential.key !== undefined) checkOwnKey(credential.key, source, now);
  return credential.caller;
}

function storeOf(deps: AuthenticateDeps, { kind }: ApiKeyContent): CredentialStore {
  if (kind === 'session') return deps.sessionStore;
  return kind === 'invocation' ? deps.invocationCredentials : deps.credentialStore;
}

/** Throws `unauthenticated` for a text without the form of a key. */
export function requireApiKey(apiKey: Secret<string>): ApiKeyContent {
  const content = readApiKey(apiKey);
  if (content !== undefined) return content;
  if (isProxyKey(apiKey))
    throw refusedKey(
      'This is the key of a stored proxy: send it to /proxy, in SVC-PROXY-KEY (or under your own prefix).',
    );
  throw refusedKey(
    hasKeyPrefix(apiKey)
      ? NOT_WHOLE
      : 'This is not an API key of this service: those start with key_ and have nothing around them.',
  );
}

/**
 * Throws `forbidden` for a session that is not authorized yet. It is a known caller, so that its
 * requests are recorded in the trail of its tenant before they are refused.
 */
export function requireAuthorized({ isUnauthorized }: Caller): void {
  if (isUnauthorized === true)
    throw new ServiceError(
      'forbidden',
      'The session has not been authorized: a private application does so with its nonce (POST /sessions/authorize).',
    );
}

/**
 * The caller of a key, which may be a session that is not authorized yet
 * ({@link requireAuthorized}). Throws `unauthenticated` for an unknown, revoked or expired key or a
 * tenant in destruction. Nothing that decides access is cached.
 */
export async function authenticate(
  deps: AuthenticateDeps,
  content: ApiKeyContent,
  { withSettings, isConfirmed, source }: AuthenticateOptions,
): Promise<Caller> {
  // An unconfirmed key costs the same two reads, whatever tenant it names and whatever is cached
  // (docs/security.md#invariants-between-callers).
  const needsTenant = withSettings || !isConfirmed || !deps.tenantKeys.holds(content.tenantId);
  // Start both reads in one turn of the event loop, so that both are sent in one call.
  const [credential, tenant] = await Promise.all([
    storeOf(deps, content).findByKeyHash(content.hash),
    needsTenant ? deps.tenantBasicsStore.basics(content.tenantId) : null,
  ]);
  const caller = check(checkExists(content, credential, tenant), source, deps.clock());
  if (!tenant) return caller;
  // Learns the ring only now, because nothing may happen for the tenant before its credential is
  // found.
  deps.tenantKeys.learn(content.tenantId, tenant);
  return { ...caller, tenantSettings: tenant.settings };
}
