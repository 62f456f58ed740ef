import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { createdKeyResponse, createKeyWords } from '../../../src/wire/application-key.ts';
import { KEYS_MAX } from '../../../src/core/applications/application-key.ts';
import { ID, LOST } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'applications.keys.create',
  recorded: { by: 'management', makes: ['key', 'id'] },
  does: 'Adds a key; only this response contains it',
  tag: 'Applications',
  summary: 'Create a key',
  description:
    'Adds a key, beside those that the application has. To rotate a key, create one, give it to its clients, and delete the old one.',
  parameters: ID,
  members: createKeyWords(),
  requests: {
    bound: {
      summary: 'A key for two networks, for a year',
      value: {
        name: 'Billing, from December on',
        expires_at: '2027-12-01T00:00:00Z',
        source_addresses: ['203.0.113.0/24', '2001:db8:7::/48'],
      },
    },
  },
  response: { hasTag: true, description: 'The key, with its text.', schema: createdKeyResponse() },
  failures: { 409: `The application has ${String(KEYS_MAX)} keys. ${LOST}` },
};
