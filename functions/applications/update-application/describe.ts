import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import {
  applicationResponse,
  forceParameters,
  updateApplicationWords,
} from '../../../src/wire/application.ts';
import { EITHER, ID, BILLING, LAST_MANAGER, LOST } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'applications.update',
  recorded: { by: 'management' },
  does: 'Replaces name, permissions and rules',
  tag: 'Applications',
  summary: 'Update an application',
  description: `Replaces name, permissions and rules. ${EITHER}`,
  parameters: ID,
  query: forceParameters(),
  members: updateApplicationWords(),
  requests: { rules: { summary: 'Other rules', value: BILLING } },
  response: { hasTag: true, description: 'The application after the update.', schema: applicationResponse() },
  failures: { 409: `${LOST} ${LAST_MANAGER}` },
};
