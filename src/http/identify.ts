import type { AuthenticateDeps } from '../core/access/authenticate.ts';
import type { Caller } from '../core/access/caller.ts';
import type { Admission, Presented } from '../core/stored-proxies/admit-call.ts';
import type { Proxy } from '../core/stored-proxies/stored-proxy.ts';
import type { Platform } from '../core/shared/platform.ts';
import type { Secret } from '../core/shared/secret.ts';
import type { Unaudited } from '../lambda/audited-deps.ts';
import { createAuthenticator, createUseNotes, type AuthenticationAttempt } from './authenticator.ts';
import { missingApiKey, readApiKeyHeader } from './read-api-key-header.ts';
import { readProxyKey } from './read-proxy-key.ts';
import type { MatchedRoute } from './route.ts';

/** Admits a request by the key of a stored proxy (`admitCall`). */
export type Admit<Deps> = (
  deps: Unaudited<Deps>,
  proxyKey: Secret<string>,
  presented: Presented,
) => Promise<Admission>;

/** The caller of a request, with the data that was read meanwhile. */
export interface Identified {
  readonly caller: Caller;
  readonly prefetch?: Promise<unknown> | undefined;
  /** The stored proxy whose key the request has. */
  readonly proxy?: Proxy;
  /** Resolves when the uses of the keys are noted, or could not be. */
  readonly noted: Promise<unknown>;
}

/**
 * Starts the route's early read if this instance has accepted the key before. If the key is still
 * valid, its tenant is the caller's. A rejection counts only where the result is awaited.
 */
function startPrefetch<Deps>(
  deps: Unaudited<Deps>,
  matched: MatchedRoute<Deps>,
  identification: AuthenticationAttempt,
) {
  const tenantId = identification.likelyTenantId;
  if (matched.route.prefetch === undefined || tenantId === undefined) return undefined;
  const value = matched.route.prefetch(deps, tenantId, matched.params);
  value.catch(() => undefined);
  return value;
}

/**
 * Identifies who sends a request: by its API key, or by the key of a stored proxy and the API key
 * beside it, where a route and its function admit by those.
 */
export function createIdentification<Deps>(
  deps: Unaudited<Deps> &
    AuthenticateDeps &
    Pick<Platform, 'startTimer'> & { readonly headerPrefixes: readonly string[] },
  admit: Admit<Deps> | undefined,
): (matched: MatchedRoute<Deps>, source: string) => Promise<Identified> {
  const identify = createAuthenticator(deps);
  const noteUse = createUseNotes(deps);

  /** Identifies the caller by its API key. */
  async function byApiKey(matched: MatchedRoute<Deps>, source: string): Promise<Identified> {
    const { needsSettings: withSettings = false } = matched.route;
    const apiKey = readApiKeyHeader(matched.request, deps.headerPrefixes);
    const identification = identify(apiKey, { withSettings, source });
    const prefetch = startPrefetch(deps, matched, identification);
    return { caller: await identification.caller, prefetch, noted: identification.noted };
  }

  /** Identifies the caller by the key of a stored proxy, and by its API key if it has one. */
  async function byProxyKey(
    { request }: MatchedRoute<Deps>,
    proxyKey: Secret<string>,
    source: string,
    admitCall: Admit<Deps>,
  ): Promise<Identified> {
    const { headerPrefixes } = deps;
    const isSent = request.reserved.get('api-key') !== undefined;
    let noted: Promise<void> | undefined;
    const { keyHash, ...admission } = await admitCall(deps, proxyKey, {
      source,
      identify() {
        if (!isSent) return undefined;
        const attempt = identify(readApiKeyHeader(request, headerPrefixes), { withSettings: true, source });
        ({ noted } = attempt);
        return attempt.caller;
      },
      missing: () => missingApiKey(request, headerPrefixes),
    });
    return { ...admission, noted: Promise.all([noted, noteUse(keyHash)]) };
  }

  return (matched, source) => {
    const { route, request } = matched;
    const proxyKey =
      route.admits === true && admit !== undefined ? readProxyKey(request, deps.headerPrefixes) : undefined;
    return proxyKey === undefined || admit === undefined
      ? byApiKey(matched, source)
      : byProxyKey(matched, proxyKey, source, admit);
  };
}
