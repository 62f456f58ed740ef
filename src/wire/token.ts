import * as z from 'zod/mini';
import { defined } from '../core/shared/defined.ts';
import { FieldReporter } from '../core/shared/field-reporter.ts';
import { membersOf } from '../core/shared/json-extent.ts';
import { isJsonObject, jsonObject, type Json, type JsonObject } from '../core/shared/json.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../core/lists/pagination.ts';
import { parseJson } from '../core/shared/parse-json.ts';
import { Secret } from '../core/shared/secret.ts';
import { invalid } from '../core/shared/service-error.ts';
import type { Shape } from '../core/shared/shape.ts';
import { CONTAINER_FORM, type Container } from '../core/shared/container.ts';
import { subtreeOf } from '../core/tokens/container-term.ts';
import type { TokenFilters } from '../core/tokens/list-tokens.ts';
import { PAGE_BYTES } from '../core/tokens/open-page.ts';
import { DATA_MAX_BYTES } from '../core/tokens/prepare-content.ts';
import { DETAIL_NAMES, TOKEN_LIMITS } from '../core/tokens/token-details.ts';
import { ID_LENGTH } from '../core/tokens/token-id.ts';
import type { TokenInput, TokenPatch } from '../core/tokens/token-input.ts';
import { clearMembers, tokenObject } from '../core/tokens/token-object.ts';
import type { Tokenized } from '../core/tokens/tokenize.ts';
import type { TokenResult } from '../core/tokens/token-result.ts';
import { TOKEN_TYPE_NAMES } from '../core/tokens/token-type.ts';
import { BodyCheck } from './body-check.ts';
import {
  idsOf,
  idsParameter,
  pageMembers,
  pageParameters,
  pageRequest,
  pageRequestOf,
  queryOf,
} from './page.ts';
import {
  anyJson,
  body,
  boolean,
  described,
  json,
  list,
  names,
  oneOf,
  optional,
  RECORD_MEMBERS,
  renamed,
  text,
  textMap,
  time,
  unchangeable,
  unchangedOf,
  uuid,
} from './parts.ts';
import { counted, megabytes, type Members } from './words.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

/** The names that core has for the members of a request, except the data. */
const CORE_NAMES = {
  ...DETAIL_NAMES,
  containers: 'containers',
  deduplicateToken: 'deduplicate_token',
  expiresAtText: 'expires_at',
} as const;

/**
 * The body of "create token" (docs/contract.md#create-a-token). `core` checks what depends on the
 * type.
 */
export const createTokenBody = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    body({
      id: optional(text),
      type: oneOf(names(TOKEN_TYPE_NAMES)),
      data: json,
      mask: optional(json),
      containers: optional(list(text)),
      metadata: optional(textMap(isText)),
      search_indexes: optional(list(text)),
      fingerprint_expression: optional(text),
      deduplicate_token: optional(boolean),
      expires_at: optional(text),
    }),
    z.transform((input): TokenInput =>
      defined({
        id: input.id,
        type: input.type,
        data: new Secret(input.data),
        ...renamed(input, CORE_NAMES),
      }),
    ),
  ),
);

/** Members of a token that an update cannot change. */
const UNCHANGEABLE = [...RECORD_MEMBERS, 'type', 'fingerprint'] as const;

/**
 * Body of "update token" (docs/contract.md#update-a-token), which is a merge patch: `null` removes.
 */
export const updateTokenBody = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    body({
      data: z.optional(json),
      mask: z.optional(json),
      metadata: z.optional(
        z.nullable(textMap((value): value is string | null => value === null || isText(value))),
      ),
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
        ...renamed(input, CORE_NAMES),
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
 * Reads `metadata.key=v`, `metadata[key]=v` and `metadata={"key":"v"}`. The first of a repeated key
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

function containerFilter(query: URLSearchParams): Container | undefined {
  const text = query.get('container');
  if (text === null) return undefined;
  if (text === '') throw invalid('container', 'must not be empty');
  const container = subtreeOf(text);
  if (container === undefined) throw invalid('container', CONTAINER_FORM);
  return container;
}

/** Reads the query of "list tokens" (docs/contract.md#list-tokens). */
export const listTokensQuery = /* @__PURE__ */ queryOf(
  {
    isPaged: true,
    once: ['container'],
    repeated: ['id', 'metadata'],
    isOfFamily: (name) => METADATA_FAMILY.test(name),
  },
  (query) => ({
    filters: defined({
      ids: idsOf(query),
      metadata: metadataFilters(query),
      container: containerFilter(query),
    }),
    page: pageRequestOf(query),
  }),
);

/** Reads the body of "search tokens" (docs/contract.md#search-tokens). */
export const searchTokensBody = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    body({
      query: text,
      ...pageMembers(),
    }),
    z.transform(({ query, ...page }) => ({ query, page: pageRequest(page) })),
  ),
);

export const TOKEN_EXAMPLE = {
  id: '0b7f7f4e-7a43-4a52-9d2b-0c3f6ad1d3c8',
  tenant_id: '5f9c1f0e-3c53-4f6e-9a53-0d9c6a1c2b11',
  type: 'card',
  data: { number: 'XXXXXXXXXXXX4242', expiration_month: 12, expiration_year: 2030 },
  mask: {
    number: '{{ data.number | reveal_last: 4 }}',
    expiration_month: '{{ data.expiration_month }}',
    expiration_year: '{{ data.expiration_year }}',
  },
  fingerprint: 'BFCSTTbBqv3gTYhZ1bmjHuYJ3mFHzV5k6rH9xZgCkR1h',
  fingerprint_expression: '{{ data.number }}',
  containers: ['/pci/high/'],
  metadata: { customer: 'c-17' },
  created_by: '3c4a8c51-6f0e-4a5b-8e0c-9b0f6f0a7d21',
  created_at: '2026-11-21T10:15:30.123+00:00',
};

const maskResponse = /* @__PURE__ */ madeOnce(() =>
  z.union([z.string(), z.record(z.string(), anyJson()), z.array(anyJson()), z.number(), z.boolean()]).check(
    z.meta({
      id: 'Mask',
      description: 'Any JSON with expressions in its strings: what readers see of `data` under `mask`.',
      examples: [TOKEN_EXAMPLE.mask, '{{ data | reveal_last: 4 }}'],
    }),
  ),
);

const tokenTypeName = /* @__PURE__ */ madeOnce(() =>
  z.enum(names(TOKEN_TYPE_NAMES)).check(z.meta({ id: 'TokenType' })),
);

const tokenMembers = () => ({
  id: z.string(),
  tenant_id: uuid(),
  type: tokenTypeName(),
  data: z.optional(
    anyJson(
      'Under `reveal` the data as sent: `CardData`, `BankData`, a string, or any JSON for the type `token`. Under `mask` the value of the mask; absent if redacted.',
    ),
  ),
  mask: z.optional(maskResponse()),
  fingerprint: described(
    z.optional(z.string()),
    'Equal for equal values of one type within the tenant; absent if the data is redacted.',
  ),
  fingerprint_expression: z.optional(z.string()),
  containers: z.array(z.string()),
  metadata: z.record(z.string(), z.string()),
  search_indexes: z.optional(z.array(z.string())),
  enrichments: described(
    z.optional(
      z.object({
        bin_details: z.optional(
          z.nullable(
            z.object({
              card_brand: described(
                z.nullable(z.string()),
                'Such as `visa`; `null` if the first digits are in no known range. Names may be added.',
              ),
              bin_length: z.nullable(z.int()),
            }),
          ),
        ),
      }),
    ),
    'Only within `{{ token: ... }}` expressions, for cards.',
  ),
  expires_at: z.optional(time()),
  created_by: uuid(),
  created_at: time(),
  modified_by: z.optional(uuid()),
  modified_at: z.optional(time()),
});

/** The Token object (docs/contract.md#the-token-object). */
export const tokenResponse = /* @__PURE__ */ madeOnce(() =>
  z.object(tokenMembers()).check(z.meta({ id: 'Token', examples: [TOKEN_EXAMPLE] })),
);

/** A token of a page. It lacks members that exceed its share of the page. */
export const listedToken = /* @__PURE__ */ madeOnce(() =>
  z
    .object({
      ...tokenMembers(),
      metadata: z.optional(z.record(z.string(), z.string())),
      _extras: z.optional(
        z.object({
          omitted: described(
            z.array(z.string()),
            'Members that exceed their share of the page: get the token to see them.',
          ),
        }),
      ),
    })
    .check(
      z.meta({
        id: 'ListedToken',
        description: `The Token object. \`_extras.omitted\` names the members that exceed their share of the page, ${counted(PAGE_BYTES)} bytes of JSON divided by \`size\`, or that are stored separately for their size: get the token to see them.`,
        examples: [TOKEN_EXAMPLE],
      }),
    ),
);

/** The response to creating or updating a token. */
export const writtenToken = /* @__PURE__ */ madeOnce(() => {
  const { id, tenant_id, type, containers, ...rest } = tokenMembers();
  const extras = z.object({
    deduplicated: described(z.literal(true), 'The token existed: this is the existing one.'),
    not_stored: described(
      z.optional(z.array(z.string())),
      'Members of the request that the existing token did not take over: `data.cvc`.',
    ),
  });
  const optionalMembers = z.partial(z.object({ ...rest, _extras: extras }));
  return z.extend(z.object({ id, tenant_id, type, containers }), optionalMembers.shape).check(
    z.meta({
      id: 'WrittenToken',
      description:
        'The Token object. With `_extras`, an existing duplicate: complete if the caller may read it, otherwise only its identity. An update without `token:read` shows nothing of the content, and neither does the replay of a write whose token has changed since.',
      examples: [TOKEN_EXAMPLE],
    }),
  );
});

/** The members of a result that are about the token and not about the response. */
function shownMembers(result: TokenResult): JsonObject {
  if (result.shows === 'view') return tokenObject(result.view);
  if (result.shows === 'clear') return clearMembers(result.token);
  const { id, tenantId, type, fingerprint, containers } = result.token;
  const identity = { id, tenant_id: tenantId, type, containers };
  return result.shows === 'identity' ? { ...identity, fingerprint } : identity;
}

/** The Token object. It shows only what the caller may see. */
export function presentResult(result: TokenResult): JsonObject {
  const { deduplicated, notStored } = result;
  const extras = { deduplicated: true, ...(notStored && { not_stored: notStored }) };
  return { ...shownMembers(result), ...(deduplicated && { _extras: extras }) };
}

/** Replaces each leaf of a shape by its value. */
function fill<Leaf>(node: Shape<Leaf>, valueOf: (leaf: Leaf) => Json): Json {
  if ('array' in node) return node.array.map((element) => fill(element, valueOf));
  if ('object' in node)
    return jsonObject(node.object.map(([name, member]) => [name, fill(member, valueOf)] as const));
  return 'nothing' in node ? null : valueOf(node.leaf);
}

/** The request's own shape with its tokens in place. A deleted token leaves its id. */
export function presentTokenized(node: Tokenized): Json {
  return fill(node, ({ shows, result }) => {
    const id = result.shows === 'gone' ? result.id : result.token.id;
    if (shows === 'id') return id;
    return result.shows === 'gone' ? { id } : presentResult(result);
  });
}

/** The query of "list tokens", as the OpenAPI document describes it. */
export const listTokensParameters = () =>
  z.object({
    id: idsParameter(),
    metadata: z.optional(z.record(z.string(), z.string())).check(
      z.meta({
        description:
          'Exact, case-insensitive matches, all of which must be true, as `metadata[key]=value`, `metadata.key=value` or `metadata={"key":"value"}`.',
        param: { style: 'deepObject', explode: true },
      }),
    ),
    container: described(
      z.optional(z.string().check(z.minLength(1))),
      'Only tokens in this container or below it, such as `/pci/`. One that covers a default container of a type has no index: the newest 20,000 tokens are filtered. Continue with `after` for older ones.',
    ),
    ...pageParameters(),
  });

const MASK = { $ref: '#/components/schemas/Mask' };

const settableWords = () =>
  ({
    data: `The sensitive value, up to ${megabytes(DATA_MAX_BYTES)}. The type decides its form.`,
    mask: {
      words:
        "Any JSON with expressions in its strings, such as `{{ data.number | reveal_last: 4 }}`. It must evaluate on the data. Default: the type's.",
      limits: MASK,
    },
    containers: {
      words: `1 to ${counted(TOKEN_LIMITS.containers)} paths like \`/pci/high/\`. Default, also for an empty list: the type's.`,
      limits: { maxItems: TOKEN_LIMITS.containers },
    },
    metadata: {
      words: `Up to ${counted(TOKEN_LIMITS.metadata)} strings that are not sensitive, to find the token by.`,
      limits: {
        maxProperties: TOKEN_LIMITS.metadata,
        propertyNames: { maxLength: TOKEN_LIMITS.metadataKey },
      },
    },
    search_indexes: {
      words: `Up to ${counted(TOKEN_LIMITS.searchIndexes)} expressions; their values can be searched with \`data:"..."\`. No plaintext is stored.`,
      limits: { maxItems: TOKEN_LIMITS.searchIndexes },
    },
    fingerprint_expression: {
      words: "The input of the fingerprint; it must read `data`. Default: the type's.",
      limits: { maxLength: TOKEN_LIMITS.fingerprintExpression },
    },
    deduplicate_token:
      'Return an existing token instead of creating a duplicate: one of the same type, fingerprint, containers, mask and data (a `cvc` aside) that does not expire earlier. With `false`, no other request finds this token so.',
    expires_at:
      'ISO 8601, `M/D/YYYY h:mm:ss AM ±hh:mm` or `M/D/YYYY`. From that time on no operation finds the token.',
  }) satisfies Members;

export const createTokenWords = (): Members => ({
  id: `${counted(ID_LENGTH.least)} to ${counted(ID_LENGTH.most)} characters without \`# / \\ + ? [ ] | & = % < > { } ^\`, or an expression with such a value, like \`{{ data.number | alias_card: false, true }}\`. Default: a random UUID.`,
  type: 'Decides validation and defaults.',
  ...settableWords(),
});

export function updateTokenWords(): Members {
  const { metadata, containers, search_indexes, fingerprint_expression, ...rest } = settableWords();
  return {
    ...rest,
    data: 'Merged into the data; `null` is rejected.',
    mask: {
      words: 'Merged into the mask; `null` removes it.',
      limits: { anyOf: [MASK, { type: 'null' }] },
    },
    metadata: { words: 'Merged; `null` removes all entries.', limits: metadata.limits },
    containers: { words: "`null` restores the type's default.", limits: containers.limits },
    search_indexes: { words: '`null` removes them.', limits: search_indexes.limits },
    fingerprint_expression: {
      words: "`null` restores the type's default.",
      limits: fingerprint_expression.limits,
    },
    expires_at: '`null` removes the expiry.',
  };
}

export const searchTokensWords = (): Members => ({
  query: { words: 'The terms.', limits: { minLength: 1 } },
  page: 'From 1.',
  size: `1 to ${counted(PAGE_SIZE_MAX)}. Default ${counted(PAGE_SIZE_DEFAULT)}.`,
  after: 'Cursor of a page of the same search.',
});
