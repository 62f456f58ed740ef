import { accessOf } from './access.ts';
import type { ApiPromise } from './api-promise.ts';
import { applicationsOf } from './applications.ts';
import {
  createHttpClient,
  type HttpClient,
  type ViewOptions,
  type ClientOptions,
  type WriteOptions,
} from './http-client.ts';
import type { AsJson } from './json.ts';
import { logsOf } from './logs.ts';
import { permissionsOf } from './permissions.ts';
import { proxiesOf } from './proxies.ts';
import { proxyOf, type ProxyRequest, type ProxyResponse } from './proxy.ts';
import { reactorsOf } from './reactors.ts';
import type { Detokenized, Tokenized } from './generics.ts';
import { sessionsOf } from './sessions.ts';
import { tenantsOf } from './tenants.ts';
import { tokensOf } from './tokens.ts';
import { request } from './request.ts';

/** Has a method for every operation of the service (docs/sdk.md). */
export interface Client {
  readonly tokens: ReturnType<typeof tokensOf>;
  readonly applications: ReturnType<typeof applicationsOf>;
  readonly reactors: ReturnType<typeof reactorsOf>;
  readonly proxies: ReturnType<typeof proxiesOf>;
  readonly sessions: ReturnType<typeof sessionsOf>;
  readonly permissions: ReturnType<typeof permissionsOf>;
  readonly access: ReturnType<typeof accessOf>;
  readonly tenants: ReturnType<typeof tenantsOf>;
  readonly logs: ReturnType<typeof logsOf>;

  /**
   * Creates tokens from any JSON, at most 100, all or none; returns the same shape with tokens and
   * ids in it.
   * @example const { card } = await client.tokenize({ card: { type: 'card', data: { number } } });
   */
  readonly tokenize: <T>(value: T & AsJson<T>, options?: WriteOptions) => ApiPromise<Tokenized<T>>;

  /**
   * Fills in the expressions of any JSON, under the transforms of the caller's rules.
   * @example const { last4 } = await client.detokenize({ last4: `{{ ${id} | json: '$.number' | last4 }}` });
   */
  readonly detokenize: <T>(value: T & AsJson<T>, options?: ViewOptions) => ApiPromise<Detokenized<T>>;

  /**
   * Sends a request with its detokenization expressions filled in, to `url` or through the stored
   * proxy of `proxyKey`. Returns the destination's response, whatever its status; throws `ApiError`
   * if the proxy itself failed.
   * @example const { status } = await client.proxy({ url: 'https://api.example.com/charge', method: 'POST', body: { card: `{{ ${id} }}` } });
   * @example const { status } = await client.proxy({ proxyKey, path: 'charges', method: 'POST', body: { card: `{{ ${id} }}` } });
   */
  readonly proxy: <B>(request: ProxyRequest<B>) => Promise<ProxyResponse>;
}

export function clientOf(http: HttpClient): Client {
  return {
    tokens: tokensOf(http),
    applications: applicationsOf(http),
    reactors: reactorsOf(http),
    proxies: proxiesOf(http),
    sessions: sessionsOf(http),
    permissions: permissionsOf(http),
    access: accessOf(http),
    tenants: tenantsOf(http),
    logs: logsOf(http),
    proxy: proxyOf(http),
    tokenize: (body, writing) => request(http, { method: 'POST', path: '/tokenize', body }, writing),
    detokenize: (body, reading) =>
      request(http, { method: 'POST', path: '/detokenize', body, isSafe: true }, reading),
  };
}

/**
 * A client that retries GETs and read-only calls if the service throttles or is unavailable, and a
 * write only with an idempotency key. Throws `TypeError` and `RangeError` for invalid options.
 * @example const client = createClient(); // in Node, with CLOAKROOM_URL and CLOAKROOM_API_KEY set
 * @example const client = createClient({ baseUrl: 'https://tokens.example.com', apiKey: KEY });
 */
export function createClient(options: ClientOptions = {}): Client {
  return clientOf(createHttpClient(options));
}
