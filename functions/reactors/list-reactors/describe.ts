import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { pageOf } from '../../../src/wire/page.ts';
import { listReactorsParameters, readReactorResponse } from '../../../src/wire/reactor.ts';
import { TAG } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'reactors.list',
  recorded: { by: 'management' },
  does: 'Lists reactors: `id` (repeatable), `name` (`*` is any run of characters), `runtime`, `outdated`, `page`, `size`, `after`',
  tag: TAG,
  summary: 'List reactors',
  query: listReactorsParameters(),
  response: { description: 'A page of reactors.', schema: pageOf(readReactorResponse()) },
};
