/** The members of requests and answers whose names the interface writes with `_`. */
export const MEMBER_NAMES = [
  'application_type',
  'application_types',
  'callback_url',
  'created_at',
  'created_by',
  'deduplicate_token',
  'deduplicate_tokens',
  'expires_at',
  'fingerprint_expression',
  'modified_at',
  'modified_by',
  'page_number',
  'page_size',
  'search_indexes',
  'session_key',
  'tenant_id',
  'timeout_ms',
  'total_is_lower_bound',
  'total_items',
  'total_pages',
] as const;

const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());

const CAMEL_CASE: ReadonlyMap<string, string> = new Map(MEMBER_NAMES.map((name) => [name, camelCase(name)]));
const SNAKE_CASE: ReadonlyMap<string, string> = new Map(MEMBER_NAMES.map((name) => [camelCase(name), name]));

type Members = Record<string, unknown>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members that hold others of the interface; all others hold what clients named themselves. */
const CONTAINERS: readonly string[] = ['application', 'pagination', 'settings'];

/**
 * A request's members by their names in the interface. One that is given under both names stays as
 * it is, for the service to refuse or ignore.
 */
export function renamed(body: unknown): unknown {
  if (!isObject(body)) return body;
  const given = Object.keys(body);
  const members = given.map((name) => {
    const own = SNAKE_CASE.get(name);
    const value = CONTAINERS.includes(name) ? renamed(body[name]) : body[name];
    return [own === undefined || given.includes(own) ? name : own, value] as const;
  });
  return Object.fromEntries(members);
}

/** The same of every token in what is to be tokenized. */
export function renamedTokens(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamedTokens);
  if (!isObject(value)) return value;
  if ('type' in value && 'data' in value) return renamed(value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, renamedTokens(member)]));
}

/** Lets an answer be read in camel case too. Not enumerable: its JSON is that of the service. */
export function readable<T>(answer: T): T {
  if (!isObject(answer)) return answer;
  for (const name of Object.keys(answer)) {
    const other = CAMEL_CASE.get(name);
    if (other !== undefined)
      Object.defineProperty(answer, other, { get: () => answer[name], configurable: true });
    if (CONTAINERS.includes(name)) readable(answer[name]);
  }
  // A page.
  if (isObject(answer['pagination']) && Array.isArray(answer['data'])) answer['data'].forEach(readable);
  return answer;
}

/** The same of every token in what was tokenized. */
export function readableTokens<T>(value: T): T {
  if (Array.isArray(value)) value.forEach(readableTokens);
  else if (isObject(value)) {
    if ('tenant_id' in value && 'type' in value) readable(value);
    else Object.values(value).forEach(readableTokens);
  }
  return value;
}
