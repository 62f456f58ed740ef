import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { applicationResponse } from '../../../src/wire/application.ts';
import { ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'applications.retrieve',
  recorded: { by: 'management' },
  does: 'Returns an application',
  tag: 'Applications',
  summary: 'Get an application',
  parameters: ID,
  response: { hasTag: true, description: 'The application, without its key.', schema: applicationResponse() },
};
