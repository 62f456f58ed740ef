import { STORED_PROXY_LIMITS } from '../../src/core/stored-proxies/stored-proxy.ts';

export const TAG = 'Stored proxies';

export const ID = { id: 'The id of the proxy.' };

export const KEY_ID = { ...ID, key_id: 'The id of the key.' };

export const CHARGES = {
  name: 'Payment provider',
  destination_url: 'https://api.provider.example.com/v1',
  methods: ['POST'],
  paths: ['/charges'],
  configuration: { API_KEY: 'sk_test_51MZ4kQ2eZvKYlo2C' },
  request_transforms: [
    { type: 'append_header', name: 'Authorization', value: 'Bearer {{ configuration.API_KEY }}' },
  ],
  response_transforms: [{ type: 'mask', matcher: 'card_number', replacement: '[card]' }],
};

export const LOST = 'Another request changed the proxy, or the same idempotency key is still running.';

export const LOST_OR_FULL = `${LOST} Or the proxy keeps ${String(STORED_PROXY_LIMITS.retainedVersions)} versions already.`;

export const SENT_AGAIN =
  '`configuration_required`: the origin of the destination or a reactor changes, and the request does not have every value of the configuration; or it sets a secret, and does not have every other secret.';
