import * as z from 'zod/mini';
import type { ResultView } from '../core/reactors/get-result.ts';
import type { ReactorResult } from '../core/reactors/run-reactor.ts';
import { defined } from '../core/shared/defined.ts';
import type { JsonObject } from '../core/shared/json.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import { invalid } from '../core/shared/service-error.ts';
import { anyJson, body, boolean, described, json, optional, text, uuid, type Response } from './parts.ts';
import { problemResponse } from './problem.ts';
import { presentTokenized, TOKEN_EXAMPLE } from './token.ts';
import type { Members } from './words.ts';

/** How long the code of an asynchronous invocation may run, in ms. */
export const TIMEOUT = { least: 10_000, most: 210_000, default: 10_000 };
const TIMEOUT_RANGE = `must be a whole number from ${String(TIMEOUT.least)} to ${String(TIMEOUT.most)}`;

const timeout = /* @__PURE__ */ z
  .int({ error: TIMEOUT_RANGE })
  .check(z.minimum(TIMEOUT.least, TIMEOUT_RANGE), z.maximum(TIMEOUT.most, TIMEOUT_RANGE));

/** The value of a member with two names. Throws `validation_failed` if both are sent. */
function underOneName<Value>(
  [name, value]: readonly [string, Value | undefined],
  [other, otherValue]: readonly [string, Value | undefined],
): Value | undefined {
  if (value !== undefined && otherValue !== undefined)
    throw invalid(other, `is another name of ${name}; send one of them`);
  return value ?? otherValue;
}

/**
 * Body of "invoke reactor" (docs/contract.md#invoke-a-reactor). It also accepts `callbackUrl` and
 * `timeoutMs`. `async: false` asks for the response itself.
 */
export const invocationBody = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    body({
      args: optional(json),
      callback_url: optional(text),
      callbackUrl: optional(text),
      timeout_ms: optional(timeout),
      timeoutMs: optional(timeout),
      async: optional(boolean),
    }),
    z.transform((input) => {
      const args = input.args ?? {};
      if (typeof args !== 'object' && typeof args !== 'string')
        throw invalid('args', 'must be an object or an array');
      const callbackUrl = underOneName(
        ['callback_url', input.callback_url],
        ['callbackUrl', input.callbackUrl],
      );
      const timeoutMs = underOneName(['timeout_ms', input.timeout_ms], ['timeoutMs', input.timeoutMs]);
      if (callbackUrl !== undefined && input.async === false)
        throw invalid('async', 'must not be false with a callback_url');
      const isAsync = input.async ?? callbackUrl !== undefined;
      if (!isAsync && timeoutMs !== undefined)
        throw invalid('timeout_ms', 'is only for invocations with a callback_url or async: true');
      const asynchronous = isAsync
        ? defined({ callbackUrl, timeoutMs: timeoutMs ?? TIMEOUT.default })
        : undefined;
      return defined({ args, asynchronous });
    }),
  ),
);

/** The Reactor response object (docs/contract.md#the-reactor-response-object). */
export const reactionResponse = /* @__PURE__ */ madeOnce(() =>
  z
    .object({
      tokens: z.optional(anyJson('What the `tokenize` block became.')),
      raw: z.optional(anyJson('Output of the code that is not sensitive.')),
    })
    .check(
      z.meta({
        id: 'ReactorResponse',
        examples: [{ raw: { charged: true }, tokens: { card: TOKEN_EXAMPLE } }],
      }),
    ),
);

/** Builds the Reactor response object. */
export const presentReaction = ({ raw, tokens }: ReactorResult): Response<typeof reactionResponse> =>
  defined({ tokens: tokens && presentTokenized(tokens), raw: raw?.reveal() });

const INVOCATION_EXAMPLE = 'c0a5b7de-0c1f-4b7a-9d57-1de1a0f0b0a4';

/** The result that an asynchronous invocation has (docs/contract.md#asynchronous-invocations). */
export const invocationResult = /* @__PURE__ */ madeOnce(() =>
  z
    .object({
      id: uuid(),
      status: z.enum(['queued', 'running', 'succeeded', 'failed']),
      result: described(
        z.optional(z.union([reactionResponse(), problemResponse()])),
        'Absent until the invocation has ended.',
      ),
    })
    .check(
      z.meta({
        id: 'ReactorResult',
        examples: [{ id: INVOCATION_EXAMPLE, status: 'succeeded', result: { raw: { charged: true } } }],
      }),
    ),
);

/** Shows the state and result of an invocation. */
export const presentInvocation = ({ id, status, result }: ResultView): JsonObject =>
  defined({ id, status, result: result?.reveal() });

/** The response to an asynchronous invocation that was accepted. */
export const acceptedInvocation = /* @__PURE__ */ madeOnce(() =>
  z
    .object({ id: uuid() })
    .check(z.meta({ id: 'AcceptedInvocation', examples: [{ id: INVOCATION_EXAMPLE }] })),
);

export const invocationWords = (): Members => ({
  args: 'An object or array whose strings may contain detokenization expressions, or one expression whose value is an object.',
  callback_url: 'The https address for the result.',
  async:
    'Runs the code after the response, which has the id of the invocation. Without a `callback_url`, read the result under this id.',
  callbackUrl: 'Another name of `callback_url`: send one of them.',
  timeout_ms: `Timeout of the code, in ms; with \`callback_url\` or \`async\` only. Default ${String(TIMEOUT.default)}.`,
  timeoutMs: 'Another name of `timeout_ms`: send one of them.',
});
