import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { patchProxyWords, proxyResponse } from '../../../src/wire/proxy.ts';
import { TAG, ID, SENT_AGAIN, LOST_OR_FULL } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'proxies.patch',
  recorded: { by: 'management' },
  does: 'Merges members and configuration',
  tag: TAG,
  summary: 'Patch a proxy',
  description: 'A merge patch: `null` resets a member, and removes an entry of `configuration`.',
  parameters: ID,
  members: patchProxyWords(),
  requests: {
    key: {
      summary: 'Another secret',
      value: { configuration: { API_KEY: 'sk_test_51MZ4kQ2eZvKYlo2D' } },
    },
  },
  response: { hasTag: true, description: 'The proxy after the update.', schema: proxyResponse() },
  failures: { 400: SENT_AGAIN, 409: LOST_OR_FULL },
};
