import { isPlainObject } from './json-text.ts';

type QueryValue = string | number | boolean;

/** Parameters of a query; a list repeats one. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

/** Members that select a page and narrow nothing: `undefined` means that they are absent. */
const OF_A_PAGE: readonly string[] = ['page', 'size', 'after'];

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** A request without the parameter would mean something else, usually more. */
const without = (name: string, what: string) =>
  new TypeError(`${name} of the query is ${what}: set a value, or leave the member out`);

/** The text of one value. Throws `TypeError` that contains only the name. */
function textOf(name: string, value: unknown): string {
  if (value === undefined || value === null) throw without(name, String(value));
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)))
    return String(value);
  throw new TypeError(`${name} of the query must be text, a number, or a list of them`);
}

/** Throws `TypeError` for a text, a Map or `URLSearchParams`, whose content would be lost. */
export function requirePlain(query: unknown): void {
  if (!isPlainObject(query)) throw new TypeError('The query must be a plain object');
}

/**
 * `{ id: ['a', 'b'], size: 2 }` as `?id=a&id=b&size=2`. Throws `TypeError` for a member without a
 * value.
 */
export function queryText(query: Query = {}): string {
  requirePlain(query);
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const values = listOf(value);
    if (values.length === 0) throw without(name, 'an empty list');
    for (const one of values) parameters.append(name, textOf(name, one));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** The filters of a list as its caller wrote them, with the members that select a page. */
export type Filters = Readonly<Record<string, unknown>>;

/**
 * Filters as the parameters of a request, those of `metadata` as `metadata.KEY`; `undefined` if a
 * filter is an empty list, which no item can match. Throws `TypeError` for any other filter without
 * a value: no filter vanishes, and so widens the list.
 */
export function parametersOf(filters: Filters): Query | undefined {
  requirePlain(filters);
  const { metadata, ...others } = filters;
  const members = Object.entries(others).filter(
    ([name, value]) => value !== undefined || !OF_A_PAGE.includes(name),
  );
  if ('metadata' in filters) members.push(...metadataFilters(metadata));
  const parameters = members.map(([name, value]) => {
    const texts = listOf(value).map((one) => textOf(name, one));
    if (texts.includes('')) throw without(name, 'empty');
    return [name, texts] as const;
  });
  return parameters.some(([, texts]) => texts.length === 0) ? undefined : Object.fromEntries(parameters);
}

function metadataFilters(metadata: unknown): readonly [string, string][] {
  const entries = isPlainObject(metadata) ? Object.entries(metadata) : [];
  if (entries.length === 0) throw without('metadata', 'no object with a key');
  return entries.map(([key, value]) => {
    const name = `metadata.${key}`;
    return [name, textOf(name, value)];
  });
}
