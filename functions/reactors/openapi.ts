import { DELIVERY_TRIES, READABLE_MS } from '../../src/core/reactors/invocation.ts';
import { REACTOR_LIMITS } from '../../src/core/reactors/reactor.ts';
import type { DescribedOperation } from '../../src/wire/described-operation.ts';
import {
  acceptedInvocation,
  invocationResult,
  invocationWords,
  reactionResponse,
} from '../../src/wire/invocation.ts';
import { namedListParameters } from '../../src/wire/named-list.ts';
import { pageOf } from '../../src/wire/page.ts';
import { listDeliveriesParameters, parkedDelivery } from '../../src/wire/parked-delivery.ts';
import { patchReactorWords, reactorResponse, reactorWords } from '../../src/wire/reactor.ts';
import { counted, duration, megabytes } from '../../src/wire/words.ts';

const TAG = 'Reactors';
const ID = { id: 'The id of the reactor.' };

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
    members: reactorWords(),
    required: ['configuration'],
    requests: { charge: { summary: 'A reactor', value: CHARGE } },
    response: { description: 'The reactor.', schema: reactorResponse() },
  },
  listReactors: {
    tag: TAG,
    summary: 'List reactors',
    query: namedListParameters(),
    response: { description: 'A page of reactors.', schema: pageOf(reactorResponse()) },
  },
  getReactor: {
    tag: TAG,
    summary: 'Get a reactor',
    parameters: ID,
    response: { description: 'The reactor.', schema: reactorResponse() },
  },
  updateReactor: {
    tag: TAG,
    summary: 'Update a reactor',
    description: 'Replaces all members; without `application` the reactor has none.',
    parameters: ID,
    members: reactorWords(),
    required: ['configuration'],
    requests: { charge: { summary: 'Other code', value: CHARGE } },
    response: { description: 'The reactor after the update.', schema: reactorResponse() },
    failures: { 409: CONFLICT },
  },
  patchReactor: {
    tag: TAG,
    summary: 'Patch a reactor',
    description: 'JSON Merge Patch (RFC 7386).',
    parameters: ID,
    members: patchReactorWords(),
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
      'Detokenizes `args`, runs the code, and returns its result. With `callback_url` or `async` the code runs asynchronously, once. The service delivers the result to the `callback_url` as a webhook, signed by the rules of Standard Webhooks; without one, read it.',
    parameters: ID,
    members: invocationWords(),
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
    response: { description: 'The result of the code.', schema: reactionResponse() },
    also: {
      202: {
        description: 'Accepted; the result will be delivered, or can be read.',
        schema: acceptedInvocation(),
      },
    },
    failures: {
      401: 'The key is missing, unknown, revoked or expired. Or thrown by the code.',
      402: 'Thrown by the code.',
      403: 'Only private applications and sessions with `token:use` may invoke reactors, with tokens that the permission covers. A rule with `through` permits the reactors in it, with a `callback_url` only by its `callbacks`. Or thrown by the code.',
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
      schema: invocationResult(),
    },
  },
  listReactorDeliveries: {
    tag: TAG,
    summary: 'List parked deliveries',
    description: `Results of asynchronous invocations that the receiver has not accepted in ${counted(DELIVERY_TRIES)} attempts. The oldest first, without page numbers; the last few seconds may be missing.`,
    parameters: ID,
    query: listDeliveriesParameters(),
    response: { description: 'A page of parked deliveries.', schema: pageOf(parkedDelivery()) },
  },
  resendReactorDelivery: {
    tag: TAG,
    summary: 'Send a parked delivery again',
    description: `Starts up to ${counted(DELIVERY_TRIES)} new attempts, to the address of the invocation. Before each one the rules of the invoking application decide again.`,
    parameters: { ...ID, invocation_id: 'The `invocation_id` of the parked delivery.' },
    response: { description: 'The attempts begin.' },
    failures: {
      404: 'The reactor does not exist, or no delivery of it is listed under this id.',
      409: 'A key that asked for the delivery was revoked, another request is changing it, or the same idempotency key is still running.',
    },
  },
};
