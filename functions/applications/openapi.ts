import { z } from 'zod';
import { APPLICATION_TYPES } from '../../src/core/access/permission.ts';
import { SESSION_LIMITS } from '../../src/core/access/session.ts';
import { NAME_MAX_LENGTH } from '../../src/core/applications/application.ts';
import type { DescribedOperation } from '../../src/http/openapi/operation.ts';
import {
  application,
  applicationWithKey,
  idsParameter,
  pageOf,
  pageParameters,
  permission,
  REPEATED,
  session,
  tenant,
} from '../../src/http/openapi/schemas.ts';
import { counted, duration } from '../../src/http/openapi/words.ts';

const ID = { id: 'The id of the application.' };

const RULES = {
  rules:
    'In ascending order of `priority`. The first rule that covers the token and grants the permission decides.',
  'rules[].description': 'A note for people; it has no effect.',
  'rules[].priority': 'From 1, each once. Lower numbers come first.',
  'rules[].container': 'The rule applies to tokens in this container or below it.',
  'rules[].conditions': 'For sessions, instead of `container`: all conditions must match.',
  'rules[].conditions[].attribute': 'The attribute of a token to compare.',
  'rules[].conditions[].operator': 'The comparison.',
  'rules[].conditions[].value': 'The value to compare with.',
  'rules[].transform':
    'How reads show the data: not at all, through its mask, or in plaintext. `token:use` inserts the plaintext whatever the transform, and `token:update` under `reveal` may set a mask that shows everything.',
  'rules[].permissions': { words: 'The permissions that the rule grants.', limits: { minItems: 1 } },
};

const NAME = `Up to ${counted(NAME_MAX_LENGTH)} characters.`;
const GRANTS = { permissions: 'Granted on all tokens; data is masked.', ...RULES };
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
    members: {
      name: NAME,
      type: 'Decides the permissions that it may have: `public` for browsers, `private` for servers, `management` for operators.',
      ...GRANTS,
      expires_at: 'ISO 8601; from that time on the key is rejected.',
    },
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
    response: { description: 'The application with its key.', schema: applicationWithKey },
  },
  listApplications: {
    tag: 'Applications',
    summary: 'List applications',
    query: z.object({
      id: idsParameter,
      type: z
        .array(z.enum(APPLICATION_TYPES))
        .optional()
        .meta({ description: 'Only of these types, `?type=public&type=private`.', param: REPEATED }),
      ...pageParameters,
    }),
    response: { description: 'A page of applications.', schema: pageOf(application) },
  },
  getApplicationByKey: {
    tag: 'Applications',
    summary: 'Get the application of the key',
    description:
      'Needs `application:read`; with the deploy setting `clientCompatibility: lenient` every application may call it.',
    response: { description: 'The application.', schema: application },
  },
  getApplication: {
    tag: 'Applications',
    summary: 'Get an application',
    parameters: ID,
    response: { description: 'The application, without its key.', schema: application },
  },
  updateApplication: {
    tag: 'Applications',
    summary: 'Update an application',
    description: `Replaces name, permissions and rules. ${EITHER}`,
    parameters: ID,
    members: { name: NAME, ...GRANTS },
    requests: { rules: { summary: 'Other rules', value: BILLING } },
    response: { description: 'The application after the update.', schema: application },
    failures: { 409: LOST },
  },
  regenerateApplicationKey: {
    tag: 'Applications',
    summary: 'Regenerate the key',
    description: 'The old key is invalid immediately.',
    parameters: ID,
    response: { description: 'The application with its new key.', schema: applicationWithKey },
    failures: { 409: LOST },
  },
  deleteApplication: {
    tag: 'Applications',
    summary: 'Delete an application',
    description: 'Deletes the application, its key, and the sessions that it created or authorized.',
    parameters: ID,
    response: { description: 'Deleted.' },
    failures: { 409: 'The deletion conflicted with concurrent updates in every attempt.' },
  },
  listPermissions: {
    tag: 'Applications',
    summary: 'List permissions',
    description: 'All permissions, or those that one type of application may have. Any key may list them.',
    query: z.object({
      application_type: z
        .enum(APPLICATION_TYPES)
        .optional()
        .meta({ description: 'Only permissions that this application type may have.' }),
    }),
    response: { description: 'The permissions.', schema: z.array(permission) },
  },
  getTenant: {
    tag: 'Tenant',
    summary: 'Get the tenant of the key',
    response: { description: 'The tenant.', schema: tenant },
  },
  updateTenant: {
    tag: 'Tenant',
    summary: 'Update the tenant',
    description: 'Replaces the name, and the settings in the body.',
    members: {
      name: NAME,
      settings: 'An omitted setting is unchanged.',
      'settings.deduplicate_tokens': 'Whether tokens are deduplicated by default.',
    },
    requests: {
      shop: { summary: 'A shop', value: { name: 'Shop', settings: { deduplicate_tokens: false } } },
    },
    response: { description: 'The tenant after the update.', schema: tenant },
  },
  createSession: {
    tag: 'Sessions',
    summary: 'Create a session',
    description: `With a public key and no body. The session ends after ${duration(SESSION_LIMITS.lifetimeMs)} and has no access until a server authorizes it. The service ignores an idempotency key: each request makes another session.`,
    response: {
      description: 'The session: its key, and the nonce for its authorization.',
      schema: session,
    },
  },
  authorizeSession: {
    tag: 'Sessions',
    summary: 'Authorize a session',
    description: `With a private key, once. The session gets no more access than the application itself has. ${EITHER}`,
    members: {
      nonce: 'The nonce of the session.',
      ...GRANTS,
      expires_at: 'ISO 8601; the end of the session.',
    },
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
