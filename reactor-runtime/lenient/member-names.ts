import { isPlainObject } from '../../packages/sdk/src/json-text.ts';

/** Members of requests and responses whose names contain `_`. */
export const MEMBER_NAMES = [
  'application_type',
  'application_types',
  'bundle_digest',
  'callback_url',
  'closes_at',
  'code_digest',
  'configuration_labels',
  'configuration_names',
  'configuration_revision',
  'created_at',
  'created_by',
  'deduplicate_token',
  'deduplicate_tokens',
  'ephemeral_proxy',
  'expires_at',
  'external_id',
  'fingerprint_expression',
  'modified_at',
  'modified_by',
  'node_version',
  'not_stored',
  'owner_id',
  'page_number',
  'page_size',
  'recovered_at',
  'search_indexes',
  'service_version',
  'session_key',
  'stopped_proxies',
  'tenant_id',
  'timeout_ms',
  'total_is_lower_bound',
  'total_items',
  'total_pages',
  'warm_concurrency',
] as const;

const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());

const CAMEL_CASE: ReadonlyMap<string, string> = new Map(MEMBER_NAMES.map((name) => [name, camelCase(name)]));
const SNAKE_CASE: ReadonlyMap<string, string> = new Map(MEMBER_NAMES.map((name) => [camelCase(name), name]));

type Members = Record<string, unknown>;

/**
 * Other values than plain objects stay as they are, so that the SDK refuses what JSON would lose.
 */
const isObject = (value: unknown): value is Members => isPlainObject(value);

/**
 * These members contain members of the interface. All other members contain names that the client
 * chose.
 */
const CONTAINERS: readonly string[] = ['application', 'pagination', 'settings'];

/**
 * A request with the names of the interface. A member that is sent under both names is unchanged;
 * the service rejects it.
 */
export function renamed(body: unknown): unknown {
  if (!isObject(body)) return body;
  const input = Object.keys(body);
  const members = input.map((name) => {
    const own = SNAKE_CASE.get(name);
    const value = CONTAINERS.includes(name) ? renamed(body[name]) : body[name];
    return [own === undefined || input.includes(own) ? name : own, value] as const;
  });
  return Object.fromEntries(members);
}

/** The same for every token in a value to be tokenized. */
export function renamedTokens(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamedTokens);
  if (!isObject(value)) return value;
  if ('type' in value && 'data' in value) return renamed(value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, renamedTokens(member)]));
}

/**
 * Adds camel-case names to a response. They are not enumerable: its JSON is that of the service.
 */
export function readable<T>(response: T): T {
  if (!isObject(response)) return response;
  for (const name of Object.keys(response)) {
    const other = CAMEL_CASE.get(name);
    if (other !== undefined)
      Object.defineProperty(response, other, { get: () => response[name], configurable: true });
    if (CONTAINERS.includes(name)) readable(response[name]);
  }
  // The response is a page of a list.
  if (isObject(response['pagination']) && Array.isArray(response['data'])) response['data'].forEach(readable);
  return response;
}

/** The same for every token in a tokenized value. */
export function readableTokens<T>(value: T): T {
  if (Array.isArray(value)) value.forEach(readableTokens);
  else if (isObject(value)) {
    if ('tenant_id' in value && 'type' in value) readable(value);
    else Object.values(value).forEach(readableTokens);
  }
  return value;
}
