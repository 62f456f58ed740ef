import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { pageOf } from '../../../src/wire/page.ts';
import { listedToken, searchTokensWords } from '../../../src/wire/token.ts';
import { TAG } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'tokens.search',
  recorded: { by: 'shop' },
  does: 'Searches tokens by `{ query, page, size, after }`; see [search](#lists-and-search)',
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
};
