import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { keyResponse, updateKeyWords } from '../../../src/wire/application-key.ts';
import { TAG, KEY_ID, LOST } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'proxies.keys.update',
  recorded: { by: 'management' },
  does: 'Changes name, end and networks of a key',
  tag: TAG,
  summary: 'Update a key of a proxy',
  description: 'A merge patch. An expired key cannot be changed (404).',
  parameters: KEY_ID,
  members: updateKeyWords(),
  requests: { end: { summary: 'It ends', value: { expires_at: '2027-01-01T00:00:00Z' } } },
  response: { hasTag: true, description: 'The key after the update.', schema: keyResponse() },
  failures: { 409: LOST },
};
