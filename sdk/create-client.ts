import { applicationsOf } from './applications.ts';
import { createCaller, type CallOptions, type ClientOptions, type WriteOptions } from './caller.ts';
import { proxyOf } from './proxy.ts';
import { reactorsOf } from './reactors.ts';
import type { ApplicationType, Json, Permission, Session, SessionGrants, Tenant } from './resources.ts';
import { tokensOf } from './tokens.ts';

/**
 * A client of the service. GETs and what changes nothing are retried where the service throttles or is not available; a write only if it has an idempotency key.
 * @example const client = createClient({ baseUrl: 'https://tokens.example.com', apiKey: process.env.API_KEY });
 */
export function createClient(options: ClientOptions) {
  const caller = createCaller(options);
  return {
    tokens: tokensOf(caller),
    applications: applicationsOf(caller),
    reactors: reactorsOf(caller),
    proxy: proxyOf(caller),

    /**
     * Makes tokens of any JSON; the same shape comes back with tokens and ids in it.
     * @example const { card } = await client.tokenize({ card: { type: 'card', data: { number } } });
     */
    tokenize: async (value: Json, writing?: WriteOptions) =>
      (await caller.json({ ...writing, method: 'POST', path: '/tokenize', body: value })) as Json,

    /**
     * Fills in the expressions of any JSON, as the caller's rules show the tokens.
     * @example const { last4 } = await client.detokenize({ last4: `{{ ${id} | json: '$.number' | last4 }}` });
     */
    detokenize: async (value: Json, reading?: CallOptions) =>
      (await caller.json({
        ...reading,
        method: 'POST',
        path: '/detokenize',
        body: value,
        isSafe: true,
      })) as Json,

    permissions: {
      /**
       * All permissions, or those of one type of application.
       * @example const permissions = await client.permissions.list('private');
       */
      list: async (applicationType?: ApplicationType, reading?: CallOptions) => {
        const query = { application_type: applicationType };
        return (await caller.json({
          ...reading,
          method: 'GET',
          path: '/permissions',
          query,
        })) as Permission[];
      },
    },

    tenants: {
      /**
       * The tenant of the key that asks.
       * @example const { settings } = await client.tenants.retrieve();
       */
      retrieve: async (reading?: CallOptions) =>
        (await caller.json({ ...reading, method: 'GET', path: '/tenants/self' })) as Tenant,

      /**
       * Replaces name and settings.
       * @example await client.tenants.update({ name: 'Shop', settings: { deduplicate_tokens: true } });
       */
      update: async (tenant: Omit<Tenant, 'id'>, writing?: WriteOptions) =>
        (await caller.json({ ...writing, method: 'PUT', path: '/tenants/self', body: tenant })) as Tenant,
    },

    sessions: {
      /**
       * With a public key: a session that a server still has to authorize, within three minutes.
       * @example const { session_key, nonce } = await client.sessions.create();
       */
      create: async (writing?: WriteOptions) =>
        (await caller.json({ ...writing, method: 'POST', path: '/sessions' })) as Session,

      /**
       * With a private key: gives a session access, once.
       * @example await client.sessions.authorize({ nonce, permissions: ['token:create'] });
       */
      authorize: async (grants: SessionGrants, writing?: WriteOptions): Promise<void> => {
        await caller.json({ ...writing, method: 'POST', path: '/sessions/authorize', body: grants });
      },
    },
  };
}

export type Client = ReturnType<typeof createClient>;
