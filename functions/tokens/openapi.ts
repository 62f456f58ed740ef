import { MEMBERS_MAX } from '../../src/core/shared/json-extent.ts';
import { CVC_LIFETIME_SECONDS } from '../../src/core/tokens/cvc-lifetime.ts';
import { DETOKENIZED_MAX_BYTES } from '../../src/core/tokens/detokenize.ts';
import { DETOKENIZED_MAX } from '../../src/core/tokens/resolve-tokens.ts';
import { TOKENIZED_MAX } from '../../src/core/tokens/tokenize.ts';
import type { DescribedOperation } from '../../src/wire/described-operation.ts';
import { pageOf } from '../../src/wire/page.ts';
import { anyJson } from '../../src/wire/parts.ts';
import {
  createTokenWords,
  listedToken,
  listTokensParameters,
  searchTokensWords,
  tokenResponse,
  updateTokenWords,
  writtenToken,
} from '../../src/wire/token.ts';
import { counted, duration, megabytes } from '../../src/wire/words.ts';

const TAG = 'Tokens';
const ID = { id: 'The id of the token, URL-encoded once.' };

const DEDUPLICATION =
  'With `_extras.deduplicated` the token existed, and nothing was written but a `cvc`, if the caller has `token:update` there; otherwise `_extras.not_stored` names it. The token is shared from then on: its expiry, and the data that it was matched by, change only under `reveal`.';

const CARD = {
  type: 'card',
  data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' },
  metadata: { customer: 'c-17' },
};

export const tokens: Readonly<Record<string, DescribedOperation>> = {
  createToken: {
    tag: TAG,
    summary: 'Create a token',
    description: `Stores data and returns a token with an id, which you store and send instead. The type decides what is checked, and what a masked reader sees.\n\nTo a caller whose rule reveals, the response shows a card's \`cvc\` until the end of its lifetime (setting \`cvcLifetimeSeconds\`, by default ${duration(CVC_LIFETIME_SECONDS.default * 1_000)}); then the service deletes it. ${DEDUPLICATION}`,
    members: createTokenWords(),
    requests: {
      card: { summary: 'A card', value: CARD },
      bank: {
        summary: 'A bank account',
        value: { type: 'bank', data: { routing_number: '021000021', account_number: '00001' } },
      },
      searchable: {
        summary: 'A searchable social security number, for a year',
        value: {
          type: 'social_security_number',
          data: '078-05-1120',
          containers: ['/pii/high/'],
          search_indexes: ["{{ data | remove: '-' }}"],
          deduplicate_token: true,
        },
      },
      anything: {
        summary: 'Any JSON, with a custom mask',
        value: {
          type: 'token',
          data: { passport: 'C01X00T47', country: 'DE' },
          mask: { passport: '{{ data.passport | reveal_last: 3 }}', country: '{{ data.country }}' },
        },
      },
    },
    response: { description: 'The token, as the caller may see it.', schema: writtenToken() },
    failures: {
      404: 'The token of the replayed response no longer exists.',
      409: 'The id exists, or a request with the same idempotency key is still running.',
    },
  },
  listTokens: {
    tag: TAG,
    summary: 'List tokens',
    description:
      'Newest first; only tokens that the caller may read. Each token has an equal share of the response: members that exceed it are omitted and named in `_extras.omitted`.',
    query: listTokensParameters(),
    response: { description: 'A page of tokens.', schema: pageOf(listedToken()) },
  },
  getToken: {
    tag: TAG,
    summary: 'Get a token',
    parameters: ID,
    response: {
      description: 'The token, its data under the transform of the deciding rule.',
      schema: tokenResponse(),
    },
  },
  updateToken: {
    tag: TAG,
    summary: 'Update a token',
    description:
      'JSON Merge Patch (RFC 7386) of `data`, `mask` and `metadata`; any other member that is sent replaces the stored one. The result is validated like a new token. ' +
      '`mask`, `fingerprint_expression`, `search_indexes` and `containers` decide what other callers see. They need a rule that grants `token:update` with the transform `reveal` on the old and the new containers, or a private application that alone has written the data of the token, with its own key. ' +
      'Data that you write into a token of another application is subject to the mask and the containers of that token. The response shows no more than the `token:read` rule of the caller, and without one nothing of the content. ' +
      DEDUPLICATION,
    parameters: ID,
    members: updateTokenWords(),
    requests: {
      expiry: { summary: 'Another expiry of a card', value: { data: { expiration_year: 2031 } } },
      metadata: {
        summary: 'Sets one entry, removes another',
        value: { metadata: { tier: 'gold', customer: null } },
      },
    },
    response: {
      description: 'The token after the update, as the caller may see it.',
      schema: writtenToken(),
    },
    failures: {
      409: 'The update conflicted with concurrent updates in every attempt, or a request with the same idempotency key is still running.',
    },
  },
  deleteToken: {
    tag: TAG,
    summary: 'Delete a token',
    description: 'Deletes the token and everything derived from it. No other token ever gets its id.',
    parameters: ID,
    response: { description: 'Deleted.' },
    failures: { 409: 'The deletion conflicted with concurrent updates in every attempt.' },
  },
  searchTokens: {
    tag: TAG,
    summary: 'Search tokens',
    description:
      'Terms joined by `AND`: `data:"..."` (exact, against evaluated search indexes), `metadata.<key>:"..."`, `type:`, `container:` (the subtree), `fingerprint:`, `id:`. The terms `data:` and `fingerprint:` never match a token whose data the deciding `token:search` rule hides: under `redact`, or under `mask` if the token has no mask.',
    members: searchTokensWords(),
    requests: {
      combined: {
        summary: 'Cards of a customer',
        value: { query: 'type:card AND metadata.customer:"c-17"' },
      },
    },
    response: { description: 'A page of tokens.', schema: pageOf(listedToken()) },
  },
  tokenize: {
    tag: TAG,
    summary: 'Tokenize any JSON',
    description: `An object with \`type\` and \`data\` becomes a token and is replaced by the Token object. Every other value except \`null\` becomes a \`token\` token and is replaced by its id. At most ${counted(TOKENIZED_MAX)}, all or none.`,
    requests: {
      order: { summary: 'An order with a card', value: { order: 'o-1', card: CARD, note: null } },
    },
    response: { description: 'The same shape with tokens and ids.', schema: anyJson() },
  },
  detokenize: {
    tag: TAG,
    summary: 'Detokenize any JSON',
    description: `Replaces every expression by its value under the transform of the deciding \`token:read\` rule. At most ${counted(DETOKENIZED_MAX)} tokens, with ${megabytes(DETOKENIZED_MAX_BYTES)} and ${counted(MEMBERS_MAX)} elements and members in all.`,
    requests: {
      masked: {
        summary: 'The last four digits',
        value: { card: "{{ 0b7f7f4e-7a43-4a52-9d2b-0c3f6ad1d3c8 | json: '$.number' | last4 }}" },
      },
    },
    response: { description: 'The same shape with the values.', schema: anyJson() },
  },
};
