import * as z from 'zod';
import { defined } from '../../core/shared/defined.ts';
import { isJsonObject } from '../../core/shared/json.ts';
import { Secret } from '../../core/shared/secret.ts';
import { invalid } from '../../core/shared/service-error.ts';
import type { TokenFilters } from '../../core/tokens/list-tokens.ts';
import type { TokenPatch } from '../../core/tokens/update-token.ts';
import { pageMembers, pageRequest, pageRequestOf } from '../../http/page-query.ts';
import { body, boolean, json, list, optional, text, textMap } from '../../http/schemas.ts';

const isText = (value: unknown): value is string => typeof value === 'string';
const nullableMetadata = textMap((value): value is string | null => value === null || isText(value));

/** Body of "update token" (spec.md): a merge patch, in which `null` has a meaning of its own. */
export const updateTokenBody = body({
  data: json.optional(),
  mask: json.optional(),
  metadata: nullableMetadata.nullable().optional(),
  containers: list(text).nullable().optional(),
  search_indexes: list(text).nullable().optional(),
  fingerprint_expression: text.nullable().optional(),
  deduplicate_token: optional(boolean),
  expires_at: text.nullable().optional(),
}).transform((given): TokenPatch => {
  if (given.data === null) throw invalid('data', 'must not be null');
  return defined({
    data: given.data === undefined ? undefined : new Secret(given.data),
    mask: given.mask,
    metadata: given.metadata,
    containers: given.containers,
    searchIndexes: given.search_indexes,
    fingerprintExpression: given.fingerprint_expression,
    deduplicateToken: given.deduplicate_token,
    expiresAt: given.expires_at,
  });
});

function metadataObject(given: string): readonly (readonly [string, string])[] {
  let value: unknown;
  try {
    value = JSON.parse(given);
  } catch {
    value = undefined;
  }
  if (!isJsonObject(value)) throw invalid('metadata', 'must be a JSON object of strings');
  return Object.entries(value).map(([key, member]) => {
    if (typeof member !== 'string') throw invalid(`metadata.${key}`, 'must be a string');
    return [key, member] as const;
  });
}

/** `metadata.key=v`, `metadata[key]=v` and `metadata={"key":"v"}`; the first of a repeated key counts. */
function metadataFilters(query: URLSearchParams): TokenFilters['metadata'] {
  const pairs = [...query].flatMap(([name, value]): readonly (readonly [string, string])[] => {
    if (name === 'metadata') return metadataObject(value);
    const key = /^metadata\.(.+)$/s.exec(name)?.[1] ?? /^metadata\[(.+)\]$/s.exec(name)?.[1];
    return key === undefined ? [] : [[key, value]];
  });
  const first = new Map<string, string>();
  for (const [key, value] of pairs) if (!first.has(key.toLowerCase())) first.set(key.toLowerCase(), value);
  return [...first];
}

const IDS_MAX = 1_000;

/** Query of "list tokens" (spec.md). */
export const listTokensQuery = z.custom<URLSearchParams>().transform((query) => {
  const ids = query.getAll('id').filter((id) => id !== '');
  if (ids.length > IDS_MAX) throw invalid('id', `must be at most ${String(IDS_MAX)}`);
  return { filters: { ids, metadata: metadataFilters(query) }, page: pageRequestOf(query) };
});

/** Body of "search tokens" (decisions.md, section 3). */
export const searchTokensBody = body({
  query: optional(text),
  ...pageMembers,
}).transform(({ query, ...page }) => ({ query: query ?? '', page: pageRequest(page) }));
