import { z } from 'zod';
import { NAME_MAX_LENGTH } from '../../src/core/applications/application.ts';
import { READABLE_MS } from '../../src/core/reactors/invocation.ts';
import { REACTOR_LIMITS } from '../../src/core/reactors/reactor.ts';
import type { DescribedOperation } from '../../src/http/openapi/operation.ts';
import {
  acceptedInvocation,
  idsParameter,
  pageOf,
  pageParameters,
  reactor,
  reactorResponse,
  reactorResult,
} from '../../src/http/openapi/schemas.ts';
import { counted, duration, megabytes } from '../../src/http/openapi/words.ts';
import { PATTERN_MAX_LENGTH, TIMEOUT } from './schemas.ts';

const TAG = 'Reactors';
const ID = { id: 'The id of the reactor.' };

const CONFIGURATION = {
  maxProperties: REACTOR_LIMITS.configuration,
  propertyNames: { minLength: 1, maxLength: REACTOR_LIMITS.configurationKey },
};

const MEMBERS = {
  name: `Up to ${counted(NAME_MAX_LENGTH)} characters.`,
  code: `CommonJS for Node.js 16: \`module.exports = async (req) => ({ raw, tokenize })\`. Up to ${counted(REACTOR_LIMITS.code)} characters; not run now.`,
  configuration: {
    words: `Up to ${counted(REACTOR_LIMITS.configuration)} strings that the code reads as \`req.configuration\`.`,
    limits: CONFIGURATION,
  },
  application: 'The public or private application with which the code may call the service through `req.bt`.',
  'application.id': 'The id of the application.',
};

const CHARGE = {
  name: 'Charge card',
  code: 'module.exports = async ({ args, configuration }) => ({ raw: { to: configuration.url, last4: args.card.number.slice(-4) } });',
  configuration: { url: 'https://processor.example.com' },
};

const CONFLICT = 'Another request is changing the reactor, or the same idempotency key is still running.';

export const reactors: Readonly<Record<string, DescribedOperation>> = {
  createReactor: {
    tag: TAG,
    summary: 'Create a reactor',
    members: MEMBERS,
    required: ['configuration'],
    requests: { charge: { summary: 'A reactor', value: CHARGE } },
    response: { description: 'The reactor.', schema: reactor },
  },
  listReactors: {
    tag: TAG,
    summary: 'List reactors',
    query: z.object({
      id: idsParameter,
      name: z.string().max(PATTERN_MAX_LENGTH).optional().meta({
        description:
          'Case-insensitive; `*` matches any characters; without `*` the name must contain the value.',
      }),
      ...pageParameters,
    }),
    response: { description: 'A page of reactors.', schema: pageOf(reactor) },
  },
  getReactor: {
    tag: TAG,
    summary: 'Get a reactor',
    parameters: ID,
    response: { description: 'The reactor.', schema: reactor },
  },
  updateReactor: {
    tag: TAG,
    summary: 'Update a reactor',
    description: 'Replaces all members; without `application` the reactor has none.',
    parameters: ID,
    members: MEMBERS,
    required: ['configuration'],
    requests: { charge: { summary: 'Other code', value: CHARGE } },
    response: { description: 'The reactor after the update.', schema: reactor },
    failures: { 409: CONFLICT },
  },
  patchReactor: {
    tag: TAG,
    summary: 'Patch a reactor',
    description: 'JSON Merge Patch (RFC 7386).',
    parameters: ID,
    members: {
      ...MEMBERS,
      configuration: { words: 'Merged; `null` removes an entry.', limits: CONFIGURATION },
      application: '`null` removes it.',
    },
    requests: {
      entry: { summary: 'Sets one entry', value: { configuration: { url: 'https://other.example.com' } } },
    },
    response: { description: 'Updated. The response has no body.' },
    failures: { 409: CONFLICT },
  },
  deleteReactor: {
    tag: TAG,
    summary: 'Delete a reactor',
    parameters: ID,
    response: { description: 'Deleted.' },
    failures: { 409: 'Another request is changing the reactor.' },
  },
  invokeReactor: {
    tag: TAG,
    summary: 'Invoke a reactor',
    description:
      'Detokenizes `args`, runs the code, and returns its result. With `callback_url` the code runs asynchronously, once, and the service delivers the result as a webhook, signed by the rules of Standard Webhooks.',
    parameters: ID,
    members: {
      args: 'An object or array whose strings may contain detokenization expressions, or one expression whose value is an object.',
      callback_url: 'The https address for the result.',
      callbackUrl: 'Another name of `callback_url`: send one of them.',
      timeout_ms: `Timeout of the code, in ms; with \`callback_url\` only. Default ${String(TIMEOUT.default)}.`,
      timeoutMs: 'Another name of `timeout_ms`: send one of them.',
    },
    requests: {
      sync: {
        summary: 'Now',
        value: { args: { card: '{{ 0b7f7f4e-7a43-4a52-9d2b-0c3f6ad1d3c8 }}', amount: 1999 } },
      },
      later: {
        summary: 'Later',
        value: {
          args: { month: 11 },
          callback_url: 'https://shop.example.com/hooks/results',
          timeout_ms: 60_000,
        },
      },
    },
    response: { description: 'The result of the code.', schema: reactorResponse },
    also: { 202: { description: 'Accepted; the result will be delivered.', schema: acceptedInvocation } },
    failures: {
      401: 'The key is missing, unknown, revoked or expired. Or thrown by the code.',
      402: 'Thrown by the code.',
      403: 'Only private applications and sessions with `token:use` may invoke reactors, with tokens that the permission covers. Or thrown by the code.',
      404: 'The reactor does not exist.',
      409: 'A request with the same idempotency key is still running; or its code has run, and its response is no longer stored.',
      413: `The body is over ${megabytes(REACTOR_LIMITS.invocationBytes)}, or the tokens of the arguments are.`,
      429: 'Too many requests. Or thrown by the code.',
      503: 'The store, the key service or Lambda is unavailable or throttling. Or thrown by the code.',
      422: 'The code does not load, or does not export a function: `detail` names the reason. Or the idempotency key was used with another body.',
      500: 'The code failed or took too long: title `Reactor Runtime Error`; `detail` contains class, line and column of the error. Or an unexpected failure.',
    },
    callback: { name: 'result', address: '{$request.body#/callback_url}' },
  },
  getReactorResult: {
    tag: TAG,
    summary: 'Get the result of an asynchronous invocation',
    description: `For ${duration(READABLE_MS)}, for the application or session that invoked. \`result\` is deleted earlier if a cvc or a token of the arguments ends.`,
    parameters: { ...ID, invocation_id: 'The `id` in the response to the invocation.' },
    response: {
      description: 'The status of the invocation, and its result once it has ended.',
      schema: reactorResult,
    },
  },
};
