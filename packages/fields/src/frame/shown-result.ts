import { PLACEHOLDER, type StoredToken } from '../protocol.ts';

/**
 * The members of a token that a page gets. All others come from its data: `data`, `mask`,
 * `fingerprint`, `enrichments` and the expressions.
 */
const SHOWN = [
  'id',
  'type',
  'tenant_id',
  'containers',
  'metadata',
  'created_at',
  'modified_at',
  'expires_at',
] as const satisfies readonly (keyof StoredToken)[];

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isToken = (value: Members): boolean => Object.hasOwn(value, 'type') && Object.hasOwn(value, 'data');

export function shownToken(token: unknown): Members {
  if (!isMembers(token)) return {};
  return Object.fromEntries(
    SHOWN.flatMap((name) => (token[name] === undefined ? [] : [[name, token[name]]])),
  );
}

/**
 * The response to a request, in which each token has only what the page may see. Where the request
 * of the page had a primitive or a field, it has an id; anything else is left out.
 */
export function shownTree(asked: unknown, response: unknown): unknown {
  if (isMembers(asked) && Object.hasOwn(asked, PLACEHOLDER))
    return isMembers(response) && typeof response['id'] === 'string' ? response['id'] : null;
  if (Array.isArray(asked)) {
    const elements: readonly unknown[] = Array.isArray(response) ? response : [];
    return asked.map((each, index) => shownTree(each, elements[index]));
  }
  if (!isMembers(asked)) return typeof response === 'string' ? response : null;
  if (isToken(asked)) return shownToken(response);
  const members = isMembers(response) ? response : {};
  return Object.fromEntries(
    Object.entries(asked).map(([name, each]) => [name, shownTree(each, members[name])]),
  );
}
