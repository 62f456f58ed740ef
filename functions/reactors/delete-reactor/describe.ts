import type { OperationDescription } from '../../../src/wire/operation-description.ts';

import { TAG, ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'reactors.delete',
  recorded: 'nothing',
  does: 'Deletes the reactor and its function',
  tag: TAG,
  summary: 'Delete a reactor',
  parameters: ID,
  response: { description: 'Deleted.' },
  failures: { 409: 'Another request is changing the reactor.' },
};
