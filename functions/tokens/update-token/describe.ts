import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { updateTokenWords, writtenToken } from '../../../src/wire/token.ts';
import { TAG, DEDUPLICATION, ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'tokens.update',
  recorded: { by: 'shop' },
  does: 'Merges data, mask and metadata (merge patch, RFC 7386); replaces other sent members',
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
};
