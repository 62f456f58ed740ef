import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { REACTOR_LIMITS } from '../../../src/core/reactors/reactor.ts';
import { acceptedInvocation, invocationWords, reactionResponse } from '../../../src/wire/invocation.ts';
import { megabytes } from '../../../src/wire/words.ts';
import { TAG, ID } from '../words.ts';

export const description: OperationDescription = {
  sdk: 'reactors.react',
  sdkToo: ['reactors.reactAsync'],
  recorded: {
    by: 'shop',
    alsoWith: { callback_url: 'https://shop.example.com/hooks/results' },
    makes: ['invocation', 'id'],
  },
  does: 'Runs the reactor (200); with `callback_url` or `async` it runs later, and the response is `{ id }` (202)',
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
};
