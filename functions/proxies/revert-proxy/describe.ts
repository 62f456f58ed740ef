import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { proxyResponse, revertProxyWords } from '../../../src/wire/proxy.ts';
import { TAG, ID, SENT_AGAIN, LOST_OR_FULL } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'proxies.revert',
  recorded: { by: 'management' },
  does: 'Makes an earlier version the newest one',
  tag: TAG,
  summary: 'Revert a proxy',
  description: 'Makes the content of an earlier version the newest one, under another number.',
  parameters: ID,
  members: revertProxyWords(),
  requests: { first: { summary: 'The first version', value: { version: 1 } } },
  response: { hasTag: true, description: 'The proxy after the change.', schema: proxyResponse() },
  failures: { 400: SENT_AGAIN, 404: 'The proxy has no such version.', 409: LOST_OR_FULL },
};
