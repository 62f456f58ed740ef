import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { namedListParameters } from '../../../src/wire/named-list.ts';
import { pageOf } from '../../../src/wire/page.ts';
import { proxyResponse } from '../../../src/wire/proxy.ts';
import { TAG } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'proxies.list',
  recorded: { by: 'management' },
  does: 'Lists proxies: `id` (repeatable), `name` (`*` is any run of characters), `page`, `size`, `after`',
  tag: TAG,
  summary: 'List proxies',
  description: 'A page whose proxies would not fit into a response is shorter: go on by `after`.',
  query: namedListParameters(),
  response: { description: 'A page of proxies.', schema: pageOf(proxyResponse()) },
};
