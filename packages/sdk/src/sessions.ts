import type { Caller, WriteOptions } from './caller.ts';
import type { Session, SessionGrants } from './resources.ts';

export function sessionsOf(caller: Caller) {
  return {
    /**
     * With a public key: a session that a server still has to authorize, within three minutes.
     * @example const { session_key, nonce } = await client.sessions.create();
     */
    create: async (options?: WriteOptions) =>
      (await caller.json({ ...options, method: 'POST', path: '/sessions' })) as Session,

    /**
     * With a private key: gives a session access, once, and no more than the application of the key
     * holds.
     * @example await client.sessions.authorize({ nonce, permissions: ['token:create'] });
     */
    authorize: async (grants: SessionGrants, options?: WriteOptions): Promise<void> => {
      await caller.json({ ...options, method: 'POST', path: '/sessions/authorize', body: grants });
    },
  };
}
