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
    'Candidates in ascending `priority`; the first that covers the token and grants the permission decides.',
  'rules[].description': 'For people: the service does not read it.',
  'rules[].priority': 'From 1, each once; a higher number is looked at later.',
  'rules[].container': 'The container below which the rule holds.',
  'rules[].conditions': 'For sessions, in place of `container`: all must hold.',
  'rules[].conditions[].attribute': 'The attribute of a token that is compared.',
  'rules[].conditions[].operator': 'How it is compared.',
  'rules[].conditions[].value': 'What it is compared with.',
  'rules[].transform':
    'What is shown of data: nothing, its mask, or the plaintext. `token:use` inserts the plaintext whatever it says, and `token:update` under `reveal` may set a mask that shows everything.',
  'rules[].permissions': { words: 'What the rule grants.', limits: { minItems: 1 } },
};

const NAME = `Up to ${counted(NAME_MAX_LENGTH)} characters.`;
const GRANTS = { permissions: 'Granted on everything; data is masked.', ...RULES };
const LOST = 'Lost against other updates several times, or the same idempotency key is still running.';
const EITHER = 'At least one of `permissions` and `rules` must hold something.';

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
      type: 'Which permissions it may hold: `public` for browsers, `private` for servers, `management` for operators.',
      ...GRANTS,
      expires_at: 'ISO 8601; from that instant the key is refused.',
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
    answer: { description: 'The application with its key.', schema: applicationWithKey },
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
    answer: { description: 'A page of applications.', schema: pageOf(application) },
  },
  getApplicationByKey: {
    tag: 'Applications',
    summary: 'Get the application of the key',
    description:
      'Needs `application:read`; with the deploy setting `clientCompatibility: lenient` every application may.',
    answer: { description: 'The application.', schema: application },
  },
  getApplication: {
    tag: 'Applications',
    summary: 'Get an application',
    parameters: ID,
    answer: { description: 'The application, without its key.', schema: application },
  },
  updateApplication: {
    tag: 'Applications',
    summary: 'Update an application',
    description: `Replaces name, permissions and rules. ${EITHER}`,
    parameters: ID,
    members: { name: NAME, ...GRANTS },
    requests: { rules: { summary: 'Other rules', value: BILLING } },
    answer: { description: 'The application after the update.', schema: application },
    failures: { 409: LOST },
  },
  regenerateApplicationKey: {
    tag: 'Applications',
    summary: 'Regenerate the key',
    description: 'The old key is refused at once.',
    parameters: ID,
    answer: { description: 'The application with its new key.', schema: applicationWithKey },
    failures: { 409: LOST },
  },
  deleteApplication: {
    tag: 'Applications',
    summary: 'Delete an application',
    description: 'Deletes the application, its key, and the sessions that it asked for or authorized.',
    parameters: ID,
    answer: { description: 'Deleted.' },
    failures: { 409: 'Lost against other updates several times.' },
  },
  listPermissions: {
    tag: 'Applications',
    summary: 'List permissions',
    description: 'All permissions, or those that one type of application may hold. Any key may list them.',
    query: z.object({
      application_type: z
        .enum(APPLICATION_TYPES)
        .optional()
        .meta({ description: 'Only those that this type may hold.' }),
    }),
    answer: { description: 'The permissions.', schema: z.array(permission) },
  },
  getTenant: {
    tag: 'Tenant',
    summary: 'Get the tenant of the key',
    answer: { description: 'The tenant.', schema: tenant },
  },
  updateTenant: {
    tag: 'Tenant',
    summary: 'Update the tenant',
    description: 'Replaces the name, and the settings that are given.',
    members: {
      name: NAME,
      settings: 'What is left out stays as it is.',
      'settings.deduplicate_tokens': 'Whether tokens are deduplicated when a request does not say.',
    },
    requests: {
      shop: { summary: 'A shop', value: { name: 'Shop', settings: { deduplicate_tokens: false } } },
    },
    answer: { description: 'The tenant after the update.', schema: tenant },
  },
  createSession: {
    tag: 'Sessions',
    summary: 'Create a session',
    description: `With a public key and no body. It lives for ${duration(SESSION_LIMITS.lifetimeMs)} and has no access until it is authorized.`,
    answer: {
      description: 'The session: its key, and the nonce by which a server authorizes it.',
      schema: session,
    },
  },
  authorizeSession: {
    tag: 'Sessions',
    summary: 'Authorize a session',
    description: `With a private key, once, and no more than the application itself holds. ${EITHER}`,
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
    answer: { description: 'The session is authorized. The body is empty.' },
    failures: {
      404: 'No such nonce.',
      409: 'The nonce has been used, or the same idempotency key is still running.',
    },
  },
};
