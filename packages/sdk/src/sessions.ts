import type { ApiPromise } from './api-promise.ts';
import type { CallOptions, HttpClient, WriteOptions } from './http-client.ts';
import { request } from './request.ts';
import type { Session, SessionGrants } from './resources.ts';

export function sessionsOf(http: HttpClient) {
  return {
    /**
     * Needs a public key. Creates a session, which a server must authorize within three minutes.
     * The service shows the key of a session once, so an idempotency key has no effect.
     * @example const { session_key, nonce } = await client.sessions.create();
     */
    create: (options?: CallOptions) =>
      request<Session>(http, { method: 'POST', path: '/sessions', isUnkeyed: true }, options),

    /**
     * Needs a private key. Grants a session access, once, and no more than its application has.
     * @example await client.sessions.authorize({ nonce, permissions: ['token:create'] });
     */
    authorize: (grants: SessionGrants, options?: WriteOptions): ApiPromise<void> =>
      request(http, { method: 'POST', path: '/sessions/authorize', body: grants }, options),
  };
}
