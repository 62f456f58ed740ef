import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { applicationResponse, listApplicationsParameters } from '../../../src/wire/application.ts';
import { pageOf } from '../../../src/wire/page.ts';

export const description: OperationDescription = {
  sdk: 'applications.list',
  recorded: { by: 'management', query: '?name=Bill*' },
  does: 'Lists applications: `id`, `type` (repeatable), `name` (`*` is any run of characters), `page`, `size`, `after`',
  tag: 'Applications',
  summary: 'List applications',
  query: listApplicationsParameters(),
  response: { description: 'A page of applications.', schema: pageOf(applicationResponse()) },
};
