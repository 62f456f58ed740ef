import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { keyResponse } from '../../../src/wire/application-key.ts';
import { KEY_ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'applications.keys.retrieve',
  recorded: { by: 'management' },
  does: 'Returns a key, without its text',
  tag: 'Applications',
  summary: 'Get a key',
  parameters: KEY_ID,
  response: { hasTag: true, description: 'The key, without its text.', schema: keyResponse() },
};
