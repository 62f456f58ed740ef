import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { STORED_PROXY_LIMITS } from '../../../src/core/stored-proxies/stored-proxy.ts';
import { createdProxyResponse, proxyWords } from '../../../src/wire/proxy.ts';
import { TAG, CHARGES } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'proxies.create',
  recorded: { by: 'management', makes: ['proxy', 'id'] },
  does: 'Creates a stored proxy; only this response contains its key',
  tag: TAG,
  summary: 'Create a proxy',
  description:
    'A destination that is written down, with its secrets and with what happens to requests and answers. Who may create proxies can use the rights of any application.',
  members: proxyWords(),
  requests: { charges: { summary: 'Charges at a payment provider', value: CHARGES } },
  response: { hasTag: true, description: 'The proxy, with its key.', schema: createdProxyResponse() },
  failures: {
    409: `The tenant has ${String(STORED_PROXY_LIMITS.proxies)} proxies, or the same idempotency key is still running.`,
  },
};
