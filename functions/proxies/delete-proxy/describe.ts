import type { OperationDescription } from '../../../src/wire/operation-description.ts';

import { TAG, ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'proxies.delete',
  recorded: 'nothing',
  does: 'Deletes the proxy with its keys and versions',
  tag: TAG,
  summary: 'Delete a proxy',
  parameters: ID,
  response: { description: 'Deleted, with its keys and versions.' },
  failures: { 409: 'Another request changed the proxy.' },
};
