import type { ClientOptions, ViewOptions, WriteOptions } from './http-client.ts';
import { isRecord } from './is-record.ts';
import type { ProxyRequest } from './proxy.ts';
import type { WebhookToVerify } from './verify-webhook.ts';

/** Names of options, complete by the type that each list satisfies. */
type Names<T> = Readonly<Record<keyof T, unknown>>;

const CALL = { signal: 1, timeoutMs: 1, traceId: 1 };

export const CALL_OPTIONS = {
  ...CALL,
  maxRetries: 1,
  transform: 1,
  idempotencyKey: 1,
} satisfies Names<WriteOptions & ViewOptions>;

export const CLIENT_OPTIONS = {
  baseUrl: 1,
  apiKey: 1,
  headerPrefix: 1,
  maxRetries: 1,
  timeoutMs: 1,
  fetch: 1,
  onAttempt: 1,
} satisfies Names<ClientOptions>;

export const PROXY_OPTIONS = {
  url: 1,
  proxyKey: 1,
  method: 1,
  path: 1,
  query: 1,
  headers: 1,
  body: 1,
  keepAlive: 1,
  connection: 1,
  ...CALL,
} satisfies Names<ProxyRequest>;

export const WEBHOOK_OPTIONS = {
  body: 1,
  headers: 1,
  secret: 1,
  toleranceSeconds: 1,
} satisfies Names<WebhookToVerify>;

/**
 * Options whose names are all known: a misspelt one would silently not apply, and `transform` shows
 * less. Throws `TypeError` that names it, without its value.
 */
export function knownOptions<T extends object>(what: string, options: T, known: object): T {
  if (!isRecord(options)) throw new TypeError(`${what} must be an object`);
  const names = Object.keys(known);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return options;
  throw new TypeError(`${unknown} is not known in ${what}: known are ${names.join(', ')}`);
}
