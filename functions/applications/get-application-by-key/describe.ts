import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { applicationResponse } from '../../../src/wire/application.ts';

export const description: OperationDescription = {
  sdk: 'applications.retrieveByKey',
  recorded: { by: 'management' },
  does: 'Returns the application of the key; a private one needs no permission for it',
  by: '`application:read`',
  tag: 'Applications',
  summary: 'Get the application of the key',
  description:
    'A private application may read itself. Any other needs `application:read`; with the deploy setting `clientCompatibility: lenient` every application may call it.',
  response: { hasTag: true, description: 'The application.', schema: applicationResponse() },
};
