import * as z from 'zod/mini';
import { defined } from '../../src/core/shared/defined.ts';
import { FieldReporter } from '../../src/core/shared/field-reporter.ts';
import { membersOf } from '../../src/core/shared/json-extent.ts';
import { isJsonObject } from '../../src/core/shared/json.ts';
import { parseJson } from '../../src/core/shared/parse-json.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { invalid } from '../../src/core/shared/service-error.ts';
import type { TokenFilters } from '../../src/core/tokens/list-tokens.ts';
import type { TokenPatch } from '../../src/core/tokens/token-patch.ts';
import { BodyCheck } from '../../src/http/body-check.ts';
import {
  idsOf,
  PAGE_PARAMETERS,
  pageMembers,
  pageRequest,
  pageRequestOf,
  queryOf,
} from '../../src/http/page-query.ts';
import {
  body,
  boolean,
  json,
  list,
  optional,
  text,
  textMap,
  RECORD_MEMBERS,
  unchangeable,
  unchangedOf,
} from '../../src/http/schemas.ts';

const isText = (value: unknown): value is string => typeof value === 'string';
const nullableMetadata = textMap((value): value is string | null => value === null || isText(value));

/** Members of a token that an update cannot change. */
const UNCHANGEABLE = [...RECORD_MEMBERS, 'type', 'fingerprint'] as const;

/**
 * Body of "update token" (docs/contract.md#update-a-token): a merge patch, in which `null` removes.
 */
export const updateTokenBody = z.lazy(() =>
  z.pipe(
    body({
      data: z.optional(json),
      mask: z.optional(json),
      metadata: z.optional(z.nullable(nullableMetadata)),
      containers: z.optional(z.nullable(list(text))),
      search_indexes: z.optional(z.nullable(list(text))),
      fingerprint_expression: z.optional(z.nullable(text)),
      deduplicate_token: optional(boolean),
      expires_at: z.optional(z.nullable(text)),
      ...unchangeable(UNCHANGEABLE),
    }),
    z.transform((input): TokenPatch => {
      if (input.data === null) throw invalid('data', 'must not be null');
      return defined({
        data: input.data === undefined ? undefined : new Secret(input.data),
        mask: input.mask,
        metadata: input.metadata,
        containers: input.containers,
        searchIndexes: input.search_indexes,
        fingerprintExpression: input.fingerprint_expression,
        deduplicateToken: input.deduplicate_token,
        expiresAtText: input.expires_at,
        unchanged: unchangedOf(input, UNCHANGEABLE),
      });
    }),
  ),
);

function metadataObject(input: string): readonly (readonly [string, string])[] {
  const fields = new FieldReporter();
  let value: unknown;
  try {
    membersOf(input, { also: new BodyCheck(input, fields) });
    value = parseJson(input);
  } catch {
    value = undefined;
  }
  if (!isJsonObject(value) || Object.keys(value).length === 0)
    throw invalid('metadata', 'must be a JSON object of strings, with one at least');
  if (fields.failed) throw invalid('metadata', 'has a member twice');
  return Object.entries(value).map(([key, member]) => {
    if (typeof member !== 'string') throw invalid(`metadata.${key}`, 'must be a string');
    return [key, member] as const;
  });
}

/**
 * `metadata.key=v`, `metadata[key]=v` and `metadata={"key":"v"}`; the first of a repeated key
 * counts.
 */
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

const METADATA_FAMILY = /^metadata(?:\..|\[.+\]$)/s;

/** Query of "list tokens" (docs/contract.md#list-tokens). */
export const listTokensQuery = queryOf(
  {
    once: PAGE_PARAMETERS,
    repeated: ['id', 'metadata'],
    isOfFamily: (name) => METADATA_FAMILY.test(name),
  },
  (query) => ({
    filters: { ids: idsOf(query), metadata: metadataFilters(query) },
    page: pageRequestOf(query),
  }),
);

/** Body of "search tokens" (docs/contract.md#search-tokens). */
export const searchTokensBody = z.lazy(() =>
  z.pipe(
    body({
      query: text,
      ...pageMembers(),
    }),
    z.transform(({ query, ...page }) => ({ query, page: pageRequest(page) })),
  ),
);
