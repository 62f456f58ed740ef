import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { applicationWithKey } from '../../../src/wire/application.ts';
import { ID, LOST } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'applications.regenerateKey',
  recorded: { by: 'management', turn: 2 },
  does: 'Puts one new key in the place of all keys, which the service rejects immediately',
  tag: 'Applications',
  summary: 'Regenerate the key',
  description: 'One new key takes the place of all keys, which are invalid immediately.',
  parameters: ID,
  response: { hasTag: true, description: 'The application with its new key.', schema: applicationWithKey() },
  failures: { 409: LOST },
};
