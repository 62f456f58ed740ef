import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { keyResponse, updateKeyWords } from '../../../src/wire/application-key.ts';
import { KEY_ID, LOST } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'applications.keys.update',
  recorded: { by: 'management' },
  does: 'Changes name, end and networks of a key',
  tag: 'Applications',
  summary: 'Update a key',
  description: 'A merge patch. An expired key cannot be changed (404).',
  parameters: KEY_ID,
  members: updateKeyWords(),
  requests: { end: { summary: 'An end', value: { expires_at: '2027-12-01T00:00:00Z' } } },
  response: { hasTag: true, description: 'The key after the update.', schema: keyResponse() },
  failures: { 409: LOST },
};
