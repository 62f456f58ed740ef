import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { proxyResponse, updateProxyWords } from '../../../src/wire/proxy.ts';
import { TAG, ID, CHARGES, SENT_AGAIN, LOST_OR_FULL } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'proxies.update',
  recorded: { by: 'management' },
  does: 'Replaces the whole proxy; without `configuration` its values stay',
  tag: TAG,
  summary: 'Update a proxy',
  description: 'Replaces everything; without `configuration` its values stay.',
  parameters: ID,
  members: updateProxyWords(),
  requests: { charges: { summary: 'Other transforms', value: CHARGES } },
  response: { hasTag: true, description: 'The proxy after the update.', schema: proxyResponse() },
  failures: { 400: SENT_AGAIN, 409: LOST_OR_FULL },
};
