import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { proxyResponse } from '../../../src/wire/proxy.ts';
import { TAG, ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'proxies.retrieve',
  recorded: { by: 'management' },
  does: 'Returns a proxy, without the values of its configuration',
  tag: TAG,
  summary: 'Get a proxy',
  parameters: ID,
  response: { hasTag: true, description: 'The proxy, without its configuration.', schema: proxyResponse() },
};
