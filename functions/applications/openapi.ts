import * as z from 'zod/mini';
import { SESSION_LIMITS } from '../../src/core/access/session.ts';
import { explainWords, explanationResponse } from '../../src/wire/access.ts';
import {
  applicationResponse,
  applicationWithKey,
  createApplicationWords,
  listApplicationsParameters,
  listPermissionsParameters,
  permissionResponse,
  updateApplicationWords,
} from '../../src/wire/application.ts';
import {
  createdKeyResponse,
  createKeyWords,
  keyResponse,
  updateKeyWords,
} from '../../src/wire/application-key.ts';
import { KEYS_MAX } from '../../src/core/applications/application-key.ts';
import type { DescribedOperation } from '../../src/wire/described-operation.ts';
import { pageOf } from '../../src/wire/page.ts';
import { authorizeSessionWords, sessionResponse } from '../../src/wire/session.ts';
import { tenantResponse, updateTenantWords } from '../../src/wire/tenant.ts';
import { duration } from '../../src/wire/words.ts';

const ID = { id: 'The id of the application.' };
const KEY_ID = { ...ID, key_id: 'The id of the key.' };

const LOST =
  'The update conflicted with concurrent updates in every attempt, or a request with the same idempotency key is still running.';
const EITHER = 'At least one of `permissions` and `rules` must have an entry.';

const BILLING = {
  name: 'Billing',
  rules: [{ priority: 1, container: '/pci/', transform: 'reveal', permissions: ['token:read', 'token:use'] }],
};

export const applications: Readonly<Record<string, DescribedOperation>> = {
  createApplication: {
    tag: 'Applications',
    summary: 'Create an application',
    description: EITHER,
    members: createApplicationWords(),
    requests: {
      private: {
        summary: 'A server that sees plaintext below /pci/',
        value: { type: 'private', ...BILLING },
      },
      public: {
        summary: 'A page that collects',
        value: { name: 'Checkout', type: 'public', permissions: ['token:create'] },
      },
    },
    response: { description: 'The application with its key.', schema: applicationWithKey() },
  },
  listApplications: {
    tag: 'Applications',
    summary: 'List applications',
    query: listApplicationsParameters(),
    response: { description: 'A page of applications.', schema: pageOf(applicationResponse()) },
  },
  getApplicationByKey: {
    tag: 'Applications',
    summary: 'Get the application of the key',
    description:
      'Needs `application:read`; with the deploy setting `clientCompatibility: lenient` every application may call it.',
    response: { description: 'The application.', schema: applicationResponse() },
  },
  getApplication: {
    tag: 'Applications',
    summary: 'Get an application',
    parameters: ID,
    response: { description: 'The application, without its key.', schema: applicationResponse() },
  },
  updateApplication: {
    tag: 'Applications',
    summary: 'Update an application',
    description: `Replaces name, permissions and rules. ${EITHER}`,
    parameters: ID,
    members: updateApplicationWords(),
    requests: { rules: { summary: 'Other rules', value: BILLING } },
    response: { description: 'The application after the update.', schema: applicationResponse() },
    failures: { 409: LOST },
  },
  regenerateApplicationKey: {
    tag: 'Applications',
    summary: 'Regenerate the key',
    description: 'One new key takes the place of all keys, which are invalid immediately.',
    parameters: ID,
    response: { description: 'The application with its new key.', schema: applicationWithKey() },
    failures: { 409: LOST },
  },
  createApplicationKey: {
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
    response: { description: 'The key, with its text.', schema: createdKeyResponse() },
    failures: { 409: `The application has ${String(KEYS_MAX)} keys. ${LOST}` },
  },
  listApplicationKeys: {
    tag: 'Applications',
    summary: 'List keys',
    description:
      'The keys of an application, the newest first. An expired key is listed until it is deleted.',
    parameters: ID,
    response: { description: 'The keys, without their text.', schema: z.array(keyResponse()) },
  },
  getApplicationKey: {
    tag: 'Applications',
    summary: 'Get a key',
    parameters: KEY_ID,
    response: { description: 'The key, without its text.', schema: keyResponse() },
  },
  updateApplicationKey: {
    tag: 'Applications',
    summary: 'Update a key',
    description: 'A merge patch. An expired key cannot be changed (404).',
    parameters: KEY_ID,
    members: updateKeyWords(),
    requests: { end: { summary: 'An end', value: { expires_at: '2027-12-01T00:00:00Z' } } },
    response: { description: 'The key after the update.', schema: keyResponse() },
    failures: { 409: LOST },
  },
  deleteApplicationKey: {
    tag: 'Applications',
    summary: 'Delete a key',
    description:
      'When the response arrives, no part of the service accepts the key, nor the sessions that it made or authorized. A key may delete itself, and the last key of an application.',
    parameters: KEY_ID,
    response: { description: 'Deleted.' },
    failures: { 409: 'The deletion conflicted with concurrent updates in every attempt.' },
  },
  deleteApplication: {
    tag: 'Applications',
    summary: 'Delete an application',
    description: 'Deletes the application, its keys, and the sessions that it created or authorized.',
    parameters: ID,
    response: { description: 'Deleted.' },
    failures: { 409: 'The deletion conflicted with concurrent updates in every attempt.' },
  },
  listPermissions: {
    tag: 'Applications',
    summary: 'List permissions',
    description: 'All permissions, or those that one type of application may have. Any key may list them.',
    query: listPermissionsParameters(),
    response: { description: 'The permissions.', schema: z.array(permissionResponse()) },
  },
  explainAccess: {
    tag: 'Applications',
    summary: 'Explain access',
    description:
      'Says whether an application, or permissions and rules that no application has yet, may do something with a token in a container, and which rule decides. It reads no token.',
    members: explainWords(),
    requests: {
      application: {
        summary: 'What an application sees',
        value: {
          application_id: '3c4a8c51-6f0e-4a5b-8e0c-9b0f6f0a7d21',
          permission: 'token:read',
          container: '/pci/high/',
        },
      },
      rules: {
        summary: 'A rule before it is added',
        value: {
          rules: [
            {
              priority: 1,
              container: '/pci/',
              transform: 'redact',
              permissions: ['token:use'],
              through: { reactors: ['0b7f7f4e-7a43-4a52-9d2b-0c3f6ad1d3c8'] },
            },
          ],
          permission: 'token:use',
          container: '/pci/high/',
          through: { reactors: ['0b7f7f4e-7a43-4a52-9d2b-0c3f6ad1d3c8'] },
        },
      },
    },
    response: { description: 'The answer, and the steps to it.', schema: explanationResponse() },
    failures: { 404: 'The application does not exist.' },
  },
  getTenant: {
    tag: 'Tenant',
    summary: 'Get the tenant of the key',
    response: { description: 'The tenant.', schema: tenantResponse() },
  },
  updateTenant: {
    tag: 'Tenant',
    summary: 'Update the tenant',
    description: 'Replaces the name, and the settings in the body.',
    members: updateTenantWords(),
    requests: {
      shop: { summary: 'A shop', value: { name: 'Shop', settings: { deduplicate_tokens: false } } },
      destinations: {
        summary: 'No ephemeral proxy',
        value: { name: 'Shop', settings: { ephemeral_proxy: false } },
      },
    },
    response: { description: 'The tenant after the update.', schema: tenantResponse() },
  },
  createSession: {
    tag: 'Sessions',
    summary: 'Create a session',
    description: `With a public key and no body. The session ends after ${duration(SESSION_LIMITS.lifetimeMs)} and has no access until a server authorizes it. The service ignores an idempotency key: each request makes another session.`,
    response: {
      description: 'The session: its key, and the nonce for its authorization.',
      schema: sessionResponse(),
    },
  },
  authorizeSession: {
    tag: 'Sessions',
    summary: 'Authorize a session',
    description: `With a private key, once. The session gets no more access than the application itself has. ${EITHER}`,
    members: authorizeSessionWords(),
    requests: {
      one: {
        summary: 'One token, masked',
        value: {
          nonce: 'n0nce...',
          rules: [
            {
              priority: 1,
              conditions: [
                { attribute: 'id', operator: 'equals', value: '0b7f7f4e-7a43-4a52-9d2b-0c3f6ad1d3c8' },
              ],
              transform: 'mask',
              permissions: ['token:read'],
            },
          ],
        },
      },
    },
    response: { description: 'The session is authorized. The body is empty.' },
    failures: {
      404: 'The nonce is unknown.',
      409: 'The nonce was used, or a request with the same idempotency key is still running.',
    },
  },
};
