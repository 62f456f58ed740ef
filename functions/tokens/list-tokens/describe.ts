import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { pageOf } from '../../../src/wire/page.ts';
import { listedToken, listTokensParameters } from '../../../src/wire/token.ts';
import { TAG } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'tokens.list',
  recorded: { by: 'shop' },
  does: 'Lists tokens: `id` (repeatable), `metadata.<key>`, `container` (with everything below it), `page`, `size`, `after`',
  tag: TAG,
  summary: 'List tokens',
  description:
    'Newest first; only tokens that the caller may read. Each token has an equal share of the response: members that exceed it are omitted and named in `_extras.omitted`.',
  query: listTokensParameters(),
  response: { description: 'A page of tokens.', schema: pageOf(listedToken()) },
};
