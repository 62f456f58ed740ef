import * as z from 'zod/mini';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { MEMBERS_MAX } from '../../src/core/shared/json-extent.ts';
import type { OperationDescription } from '../../src/wire/operation-description.ts';
import { described } from '../../src/wire/parts.ts';
import { counted, megabytes } from '../../src/wire/words.ts';
import { BODY_MAX_BYTES } from '../../src/http/parse-input.ts';
import {
  gatewayMessage,
  problemOf,
  problemResponse,
  PROBLEMS,
  proxyProblem,
} from '../../src/wire/problem.ts';
import type { AnyRoute } from './all-routes.ts';
import { DESTINATION_STATUS, JSON_TYPE, reserved, RETRY_AFTER, TRACE } from './headers.ts';

/** API Gateway's own responses, in a separate form (docs/decisions/0006). */
const OF_THE_GATEWAY: readonly number[] = [400, 413, 429, 500, 503];

const FAILURES: Readonly<Record<number, string>> = {
  400: 'The request is malformed; `errors` says where.',
  401: 'The key is missing, unknown, revoked or expired.',
  403: 'A permission is missing, no rule matches, or the type of the application is wrong.',
  404: 'No such resource in this tenant, or it has expired.',
  409: 'A request with the same idempotency key is still running.',
  412: 'The resource has another state than `If-Match` says. Nothing was changed.',
  413: `The body, the response, or the tokens that the request names exceed ${megabytes(BODY_MAX_BYTES)}; or these tokens have more than ${counted(MEMBERS_MAX)} elements and members.`,
  415: 'The body must be `application/merge-patch+json`.',
  422: 'The idempotency key was used with another body or `If-Match`.',
  429: 'Too many requests.',
  500: 'Unexpected. The log has the cause under the trace id.',
  503: 'The store or the key service is unavailable or throttling.',
};

/** The usual failures have these names in the document. */
const NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  412: 'PreconditionFailed',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
};

/** The statuses that every operation of this kind can fail with. */
export function failuresOf(
  route: AnyRoute,
  described: OperationDescription,
): Readonly<Record<number, string>> {
  const takesKey = ['POST', 'PUT', 'PATCH'].includes(route.method) && route.operation !== 'proxy';
  const statuses = [
    ...[400, 401, 403, 413, 429, 500, 503],
    ...(described.parameters !== undefined && route.operation !== 'proxy' ? [404] : []),
    ...(route.takesCondition === true ? [412] : []),
    ...(takesKey && route.idempotency === undefined ? [409, 422] : []),
    ...(route.mergePatch === true ? [415] : []),
  ];
  return {
    ...Object.fromEntries(statuses.map((status) => [status, FAILURES[status] ?? ''])),
    ...described.failures,
  };
}

/** The service does not determine the destination's responses. */
const anything = described(
  z.unknown(),
  `Of the destination, if the header \`${reserved('proxy-destination-status')}\` is there.`,
);

const SHAPES = {
  problem: { own: problemResponse(), any: z.union([problemResponse(), gatewayMessage()]) },
  proxyProblem: {
    own: z.union([proxyProblem(), anything]),
    any: z.union([proxyProblem(), gatewayMessage(), anything]),
  },
} as const;

/** A failure in the service's format; `detail` contains the document's description. */
function exampleOf(status: number, description: string) {
  if (status === 500) return problemOf(undefined).problem;
  const known = Object.entries(PROBLEMS).find(([, problem]) => problem.status === status);
  if (known === undefined) throw new Error(`openapi: no failure has the status ${String(status)}`);
  const [code, { title }] = known;
  const validation = status === 400 && {
    errors: { contaners: ['is not known; did you mean `containers`?'] },
  };
  const detail = status === 400 ? 'One or more validation errors occurred.' : description;
  return { title, status, code, detail, ...validation };
}

/**
 * Usual failures, each a separate object: the document contains it once, and operations refer to
 * it.
 */
const usual = new Map<string, ZodOpenApiResponseObject>();

export function failure(
  status: number,
  description: string,
  shape: keyof typeof SHAPES,
): ZodOpenApiResponseObject {
  const mayBeTheGateways = OF_THE_GATEWAY.includes(status);
  const isProxy = shape === 'proxyProblem';
  const example = exampleOf(status, description);
  const response = {
    description,
    headers: {
      [reserved('trace-id')]: { ...TRACE, required: !mayBeTheGateways },
      ...([409, 429, 503].includes(status) && { 'Retry-After': RETRY_AFTER }),
      ...(isProxy && { [reserved('proxy-destination-status')]: { ...DESTINATION_STATUS, required: false } }),
    },
    content: {
      [JSON_TYPE]: {
        schema: SHAPES[shape][mayBeTheGateways ? 'any' : 'own'],
        examples: { failure: { value: isProxy ? { proxy_error: example } : example } },
      },
      ...(isProxy && { '*/*': { schema: {} } }),
    },
  };
  if (FAILURES[status] !== description) return response;
  const id = `${shape === 'problem' ? '' : 'Proxy'}${NAMES[status] ?? ''}`;
  const known = usual.get(id) ?? { id, ...response };
  usual.set(id, known);
  return known;
}
