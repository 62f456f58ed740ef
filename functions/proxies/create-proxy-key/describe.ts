import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { STORED_PROXY_LIMITS } from '../../../src/core/stored-proxies/stored-proxy.ts';
import { createdKeyResponse, createKeyWords } from '../../../src/wire/application-key.ts';
import { TAG, ID, LOST } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'proxies.keys.create',
  recorded: { by: 'management', makes: ['proxyKey', 'id'] },
  does: 'Adds a key of the proxy; only this response contains it',
  tag: TAG,
  summary: 'Create a key of a proxy',
  description: 'Adds a key, beside those that the proxy has.',
  parameters: ID,
  members: createKeyWords(),
  requests: {
    bound: {
      summary: 'A key for one network',
      value: { name: 'Partner, from December on', source_addresses: ['203.0.113.0/24'] },
    },
  },
  response: { hasTag: true, description: 'The key, with its text.', schema: createdKeyResponse() },
  failures: {
    409: `The proxy has ${String(STORED_PROXY_LIMITS.keys)} keys, or remembers ${String(STORED_PROXY_LIMITS.retiredKeys)} that were deleted. ${LOST}`,
  },
};
