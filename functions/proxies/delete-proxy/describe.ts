import type { OperationDescription } from '../../../src/wire/operation-description.ts';

import { TAG, ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'proxies.delete',
  recorded: 'nothing',
  tag: TAG,
  summary: 'Delete a proxy',
  parameters: ID,
  response: { description: 'Deleted, with its keys and versions.' },
  failures: { 409: 'Another request changed the proxy.' },
};
