import { checkOwnKey, refusedKey, type AuthenticateDeps } from '../access/authenticate.ts';
import type { Caller } from '../access/caller.ts';
import { RefusedKeyError } from '../access/refused-key.ts';
import { isWithin } from '../access/source-networks.ts';
import type { ApplicationKey } from '../applications/application-key.ts';
import { readProxyKey, sameHash, type ProxyKeyContent } from '../crypto/api-key.ts';
import { isDestroyed } from '../crypto/key-ring.ts';
import type { Vault } from '../crypto/vault.ts';
import { defined } from '../shared/defined.ts';
import type { Secret } from '../shared/secret.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { ProxyStore } from './proxy-store.ts';
import { openProxy } from './open-proxy.ts';
import type { Proxy, StoredProxy } from './stored-proxy.ts';

export interface AdmitDeps extends Pick<AuthenticateDeps, 'tenantBasicsStore' | 'tenantKeys' | 'clock'> {
  readonly proxyStore: Pick<ProxyStore, 'find' | 'retiredKey'>;
  readonly vault: Vault;
}

/** A call through a stored proxy that is admitted: who calls, and the version that it runs. */
export interface Admission {
  readonly caller: Caller;
  readonly proxy: Proxy;
  /** The hash of the key that admits the call. */
  readonly keyHash: Buffer;
}

/** A call presents these besides the key of the proxy. */
export interface Presented {
  /** The address that the gateway, or CloudFront in front of it, saw. */
  readonly source: string;
  /** Starts the check of the API key; `undefined` without one. */
  readonly identify: () => Promise<Caller> | undefined;
  /** The error for a call that needs an API key and has none. */
  readonly missing: () => ServiceError;
}

/** The message does not reveal whether a key or its proxy ever existed. */
const UNKNOWN =
  'The key of the proxy is unknown: it or the proxy was deleted, it belongs to another deployment, or it was not copied whole.';

/**
 * The key that a call presents. Throws `unauthenticated`. Only for a key that the proxy does not
 * have, it reads whether that was deleted.
 */
async function keyOf(
  { proxyStore }: Pick<AdmitDeps, 'proxyStore'>,
  content: ProxyKeyContent,
  stored: StoredProxy | undefined,
): Promise<{ readonly stored: StoredProxy; readonly key: ApplicationKey }> {
  const key = stored?.keys.find(({ hash }) => sameHash(hash, content.hash));
  if (stored !== undefined && key !== undefined) return { stored, key };
  const retired = await proxyStore.retiredKey(content.hash);
  // The hash covers the content, so only a fault of the store can return another tenant's key.
  if (retired?.tenantId !== content.tenantId) throw refusedKey(UNKNOWN);
  throw new RefusedKeyError('unauthenticated', UNKNOWN, { key: retired, isRetired: true });
}

/**
 * The caller of a call without an API key. It holds no right on any token: what the proxy does is
 * decided by the rights of its application, and the call itself uses nothing.
 */
const keylessCaller = (
  { id, tenantId }: StoredProxy,
  applicationId: string,
  settings: Caller['tenantSettings'],
): Caller =>
  defined({
    tenantId,
    credentialId: `proxy:${id}`,
    applicationId,
    type: 'private',
    actsBy: 'proxy',
    permissions: [],
    rules: [
      {
        priority: 1,
        conditions: [],
        transform: 'reveal',
        permissions: ['token:use'],
        through: { proxies: [id], reactors: [] },
      },
    ],
    tenantSettings: settings,
  } as const);

function checkSource({ stored, definition }: Proxy, keyId: string, source: string): void {
  const { sourceAddresses } = definition;
  if (sourceAddresses.length === 0 || isWithin(sourceAddresses, source)) return;
  const key = { tenantId: stored.tenantId, proxyId: stored.id, keyId };
  throw new RefusedKeyError('address_not_allowed', 'The proxy is not called from this address.', {
    key,
    isRetired: false,
  });
}

/** Reads what a call needs, before anything of it is checked. */
async function readCall(
  deps: AdmitDeps,
  { tenantId, proxyId }: ProxyKeyContent,
  identified: Promise<Caller> | undefined,
) {
  // All reads start in one turn of the event loop, so that they are one call.
  const [found, tenant, authenticated] = await Promise.all([
    deps.proxyStore.find(tenantId, proxyId),
    identified === undefined ? deps.tenantBasicsStore.basics(tenantId) : undefined,
    identified,
  ]);
  const isGone = authenticated === undefined && (tenant === undefined || isDestroyed(tenant));
  if (isGone || (authenticated !== undefined && authenticated.tenantId !== tenantId))
    throw refusedKey(UNKNOWN);
  return { found, tenant, authenticated };
}

/** The content of a key. Throws `unauthenticated`. */
function requireProxyKey(proxyKey: Secret<string>): ProxyKeyContent {
  const content = readProxyKey(proxyKey);
  if (content === undefined)
    throw refusedKey(
      'This is not the key of a stored proxy, or it is not whole: those start with key_proxy_.',
    );
  return content;
}

/**
 * Admits a call by the key of a stored proxy, and by the API key beside it where the proxy wants
 * one. It reads the proxy in the call that reads the API key, and caches nothing that decides.
 * Throws `unauthenticated` for an unknown key and for an API key that is missing or of another
 * tenant, `key_expired`, and `address_not_allowed`.
 */
export async function admitCall(
  deps: AdmitDeps,
  proxyKey: Secret<string>,
  { source, identify, missing }: Presented,
): Promise<Admission> {
  const content = requireProxyKey(proxyKey);
  const { found, tenant, authenticated } = await readCall(deps, content, identify());
  const { stored, key } = await keyOf(deps, content, found);
  const { id: keyId, expiresAtMs, sourceAddresses } = key;
  const own = defined({ tenantId: stored.tenantId, proxyId: stored.id, keyId, expiresAtMs, sourceAddresses });
  checkOwnKey(own, source, deps.clock());
  // Learns the ring only now, because nothing may happen for the tenant before the key is found.
  if (tenant !== undefined) deps.tenantKeys.learn(content.tenantId, tenant);
  const proxy = await openProxy(deps.vault, stored);
  checkSource(proxy, keyId, source);
  const { requireAuth, applicationId } = proxy.definition;
  // A session that is not authorized yet is refused wherever it is presented, and recorded as such.
  if (requireAuth || applicationId === undefined || authenticated?.isUnauthorized === true) {
    if (authenticated === undefined) throw missing();
    return { caller: authenticated, proxy, keyHash: key.hash };
  }
  if (authenticated?.actsBy === 'invocation')
    throw new ServiceError(
      'forbidden',
      'The credential of an invocation calls only proxies with require_auth.',
    );
  const settings = authenticated?.tenantSettings ?? tenant?.settings;
  return { caller: keylessCaller(stored, applicationId, settings), proxy, keyHash: key.hash };
}
