import { forceParameters } from '../../../src/wire/application.ts';
import type { OperationDescription } from '../../../src/wire/operation-description.ts';

import { KEY_ID, LAST_MANAGER } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'applications.keys.delete',
  recorded: 'nothing',
  does: 'Deletes a key, which the service rejects immediately, and the sessions that it made or authorized',
  tag: 'Applications',
  summary: 'Delete a key',
  description:
    'When the response arrives, no part of the service accepts the key, nor the sessions that it made or authorized. A key may delete itself, and the last key of an application, unless no other manages the tenant.',
  parameters: KEY_ID,
  query: forceParameters(),
  response: { description: 'Deleted.' },
  failures: { 409: `The deletion conflicted with concurrent updates in every attempt. ${LAST_MANAGER}` },
};
