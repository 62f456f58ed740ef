import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { tokenResponse } from '../../../src/wire/token.ts';
import { TAG, ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'tokens.retrieve',
  recorded: { by: 'shop' },
  does: 'Returns the token, with its data under the transform of the deciding rule',
  tag: TAG,
  summary: 'Get a token',
  parameters: ID,
  response: {
    description: 'The token, its data under the transform of the deciding rule.',
    schema: tokenResponse(),
  },
};
