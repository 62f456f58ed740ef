import type { OperationDescription } from '../../../src/wire/operation-description.ts';

import { KEY_ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'applications.keys.delete',
  recorded: 'nothing',
  does: 'Deletes a key, which the service rejects immediately, and the sessions that it made or authorized',
  tag: 'Applications',
  summary: 'Delete a key',
  description:
    'When the response arrives, no part of the service accepts the key, nor the sessions that it made or authorized. A key may delete itself, and the last key of an application.',
  parameters: KEY_ID,
  response: { description: 'Deleted.' },
  failures: { 409: 'The deletion conflicted with concurrent updates in every attempt.' },
};
