import { forceParameters } from '../../../src/wire/application.ts';
import type { OperationDescription } from '../../../src/wire/operation-description.ts';

import { ID, LAST_MANAGER } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'applications.delete',
  recorded: 'nothing',
  does: 'Deletes the application, its keys, and the sessions that it made or authorized',
  tag: 'Applications',
  summary: 'Delete an application',
  description: 'Deletes the application, its keys, and the sessions that it created or authorized.',
  parameters: ID,
  query: forceParameters(),
  response: { description: 'Deleted.' },
  failures: { 409: `The deletion conflicted with concurrent updates in every attempt. ${LAST_MANAGER}` },
};
