import type { OperationDescription } from '../../../src/wire/operation-description.ts';

import { TAG, ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'tokens.delete',
  recorded: 'nothing',
  does: 'Deletes the token and everything derived from it',
  tag: TAG,
  summary: 'Delete a token',
  description: 'Deletes the token and everything derived from it. No other token ever gets its id.',
  parameters: ID,
  response: { description: 'Deleted.' },
  failures: { 409: 'The deletion conflicted with concurrent updates in every attempt.' },
};
