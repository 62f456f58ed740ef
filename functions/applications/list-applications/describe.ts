import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { applicationResponse, listApplicationsParameters } from '../../../src/wire/application.ts';
import { pageOf } from '../../../src/wire/page.ts';

export const description: OperationDescription = {
  sdk: 'applications.list',
  recorded: { by: 'management', query: '?name=Bill*' },
  tag: 'Applications',
  summary: 'List applications',
  query: listApplicationsParameters(),
  response: { description: 'A page of applications.', schema: pageOf(applicationResponse()) },
};
