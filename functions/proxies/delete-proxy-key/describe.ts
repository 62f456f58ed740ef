import type { OperationDescription } from '../../../src/wire/operation-description.ts';

import { TAG, KEY_ID, LOST } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'proxies.keys.delete',
  recorded: 'nothing',
  does: 'Deletes a key, which the service rejects immediately',
  tag: TAG,
  summary: 'Delete a key of a proxy',
  parameters: KEY_ID,
  response: { description: 'Deleted: no part of the service accepts it any more.' },
  failures: { 409: LOST },
};
