import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { keyResponse } from '../../../src/wire/application-key.ts';
import { TAG, KEY_ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'proxies.keys.retrieve',
  recorded: { by: 'management' },
  does: 'Returns a key of the proxy, without its text',
  tag: TAG,
  summary: 'Get a key of a proxy',
  parameters: KEY_ID,
  response: { hasTag: true, description: 'The key, without its text.', schema: keyResponse() },
};
