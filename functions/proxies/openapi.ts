import * as z from 'zod/mini';
import { FAILURES_MAX } from '../../src/core/proxies/proxy-failure-store.ts';
import { STORED_PROXY_LIMITS } from '../../src/core/proxies/stored-proxy.ts';
import {
  createdKeyResponse,
  createKeyWords,
  keyResponse,
  updateKeyWords,
} from '../../src/wire/application-key.ts';
import { proxyFailuresResponse } from '../../src/wire/proxy-failure.ts';
import type { DescribedOperation } from '../../src/wire/described-operation.ts';
import { namedListParameters } from '../../src/wire/named-list.ts';
import { pageOf } from '../../src/wire/page.ts';
import {
  createdProxyResponse,
  patchProxyWords,
  proxyResponse,
  proxyVersionResponse,
  proxyWords,
  revertProxyWords,
  updateProxyWords,
} from '../../src/wire/proxy.ts';

const TAG = 'Stored proxies';
const ID = { id: 'The id of the proxy.' };
const KEY_ID = { ...ID, key_id: 'The id of the key.' };

const CHARGES = {
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

const LOST = 'Another request changed the proxy, or the same idempotency key is still running.';
const LOST_OR_FULL = `${LOST} Or the proxy keeps ${String(STORED_PROXY_LIMITS.retainedVersions)} versions already.`;
const SENT_AGAIN =
  '`configuration_required`: the origin of the destination or a reactor changes, and the request does not have every value of the configuration; or it sets a secret, and does not have every other secret.';

export const proxies: Readonly<Record<string, DescribedOperation>> = {
  createProxy: {
    tag: TAG,
    summary: 'Create a proxy',
    description:
      'A destination that is written down, with its secrets and with what happens to requests and answers. Who may create proxies can use the rights of any application.',
    members: proxyWords(),
    requests: { charges: { summary: 'Charges at a payment provider', value: CHARGES } },
    response: { description: 'The proxy, with its key.', schema: createdProxyResponse() },
    failures: {
      409: `The tenant has ${String(STORED_PROXY_LIMITS.proxies)} proxies, or the same idempotency key is still running.`,
    },
  },
  listProxies: {
    tag: TAG,
    summary: 'List proxies',
    description: 'A page whose proxies would not fit into a response is shorter: go on by `after`.',
    query: namedListParameters(),
    response: { description: 'A page of proxies.', schema: pageOf(proxyResponse()) },
  },
  getProxy: {
    tag: TAG,
    summary: 'Get a proxy',
    parameters: ID,
    response: { description: 'The proxy, without its configuration.', schema: proxyResponse() },
  },
  updateProxy: {
    tag: TAG,
    summary: 'Update a proxy',
    description: 'Replaces everything; without `configuration` its values stay.',
    parameters: ID,
    members: updateProxyWords(),
    requests: { charges: { summary: 'Other transforms', value: CHARGES } },
    response: { description: 'The proxy after the update.', schema: proxyResponse() },
    failures: { 400: SENT_AGAIN, 409: LOST_OR_FULL },
  },
  patchProxy: {
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
    response: { description: 'The proxy after the update.', schema: proxyResponse() },
    failures: { 400: SENT_AGAIN, 409: LOST_OR_FULL },
  },
  deleteProxy: {
    tag: TAG,
    summary: 'Delete a proxy',
    parameters: ID,
    response: { description: 'Deleted, with its keys and versions.' },
    failures: { 409: 'Another request changed the proxy.' },
  },
  listProxyVersions: {
    tag: TAG,
    summary: 'List the versions of a proxy',
    description: `The last ${String(STORED_PROXY_LIMITS.versions)} and those that are retained. The newest is the first, and the current one.`,
    parameters: ID,
    response: {
      description: 'The versions, without configuration and keys, which have none.',
      schema: z.array(proxyVersionResponse()),
    },
  },
  listProxyFailures: {
    tag: TAG,
    summary: 'List the failures of a proxy',
    description: `The last ${String(FAILURES_MAX)} failures of its transforms within a day, the newest first: what their callers do not see, because others have written the proxy. They have no values.`,
    parameters: ID,
    response: { description: 'The failures.', schema: proxyFailuresResponse() },
  },
  revertProxy: {
    tag: TAG,
    summary: 'Revert a proxy',
    description: 'Makes the content of an earlier version the newest one, under another number.',
    parameters: ID,
    members: revertProxyWords(),
    requests: { first: { summary: 'The first version', value: { version: 1 } } },
    response: { description: 'The proxy after the change.', schema: proxyResponse() },
    failures: { 400: SENT_AGAIN, 404: 'The proxy has no such version.', 409: LOST_OR_FULL },
  },
  createProxyKey: {
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
    response: { description: 'The key, with its text.', schema: createdKeyResponse() },
    failures: {
      409: `The proxy has ${String(STORED_PROXY_LIMITS.keys)} keys, or remembers ${String(STORED_PROXY_LIMITS.retiredKeys)} that were deleted. ${LOST}`,
    },
  },
  listProxyKeys: {
    tag: TAG,
    summary: 'List keys of a proxy',
    description: 'The newest first. An expired key is listed until it is deleted.',
    parameters: ID,
    response: { description: 'The keys, without their text.', schema: z.array(keyResponse()) },
  },
  getProxyKey: {
    tag: TAG,
    summary: 'Get a key of a proxy',
    parameters: KEY_ID,
    response: { description: 'The key, without its text.', schema: keyResponse() },
  },
  updateProxyKey: {
    tag: TAG,
    summary: 'Update a key of a proxy',
    description: 'A merge patch. An expired key cannot be changed (404).',
    parameters: KEY_ID,
    members: updateKeyWords(),
    requests: { end: { summary: 'It ends', value: { expires_at: '2027-01-01T00:00:00Z' } } },
    response: { description: 'The key after the update.', schema: keyResponse() },
    failures: { 409: LOST },
  },
  deleteProxyKey: {
    tag: TAG,
    summary: 'Delete a key of a proxy',
    parameters: KEY_ID,
    response: { description: 'Deleted: no part of the service accepts it any more.' },
    failures: { 409: LOST },
  },
};
