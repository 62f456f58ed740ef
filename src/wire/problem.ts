import * as z from 'zod/mini';
import { defined } from '../core/shared/defined.ts';
import type { JsonObject } from '../core/shared/json.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import { ServiceError, type ServiceErrorCode } from '../core/shared/service-error.ts';
import { described, names } from './parts.ts';

/** Every error code: the service's own, and the code of an unexpected failure. */
export type ProblemCode = Exclude<ServiceErrorCode, 'transform_failed_unsent'> | 'internal_error';

/**
 * The body of every error: the fields of RFC 9457 that the interface uses
 * (docs/contract.md#errors).
 */
export interface Problem {
  /** The page of the code, in the response to a request, if the service has documentation. */
  readonly type?: string;
  readonly title: string;
  readonly status: number;
  /** The error for programs. It is stable, although the words may change. */
  readonly code: ProblemCode;
  readonly detail?: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  /** The status that the destination returned, where its answer could not be shown. */
  readonly destination_status?: number;
}

/** The status and title that the response to a code has, and its code where that differs. */
interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly code?: ProblemCode;
}

export const PROBLEMS: Readonly<Record<ServiceErrorCode, ProblemKind>> = {
  validation_failed: { status: 400, title: 'Bad Request' },
  configuration_required: { status: 400, title: 'Bad Request' },
  // Nothing was sent. Once the destination has answered, the status is as `statusOf` says.
  transform_failed_unsent: { status: 400, title: 'Bad Request', code: 'transform_failed' },
  unauthenticated: { status: 401, title: 'Unauthorized' },
  key_expired: { status: 401, title: 'Unauthorized' },
  forbidden: { status: 403, title: 'Forbidden' },
  address_not_allowed: { status: 403, title: 'Forbidden' },
  not_found: { status: 404, title: 'Not Found' },
  method_not_allowed: { status: 405, title: 'Method Not Allowed' },
  destination_timeout: { status: 408, title: 'Request Timeout' },
  conflict: { status: 409, title: 'Conflict' },
  last_manager: { status: 409, title: 'Conflict' },
  external_id_taken: { status: 409, title: 'Conflict' },
  limit_reached: { status: 409, title: 'Conflict' },
  precondition_failed: { status: 412, title: 'Precondition Failed' },
  payload_too_large: { status: 413, title: 'Payload Too Large' },
  unsupported_media_type: { status: 415, title: 'Unsupported Media Type' },
  payment_required: { status: 402, title: 'Payment Required' },
  too_many_requests: { status: 429, title: 'Too Many Requests' },
  key_reused: { status: 422, title: 'Unprocessable Content' },
  reactor_not_loaded: { status: 422, title: 'Unprocessable Content' },
  reactor_failed: { status: 500, title: 'Reactor Runtime Error' },
  destination_unreachable: { status: 502, title: 'Bad Gateway' },
  transform_failed: { status: 424, title: 'Failed Dependency' },
  dependency_unavailable: { status: 503, title: 'Service Unavailable' },
};

/** Lists every code, in the order of the OpenAPI document. */
export const problemCodes = () =>
  [
    ...Object.keys(PROBLEMS).filter((code) => code !== 'transform_failed_unsent'),
    'internal_error',
  ] as readonly ProblemCode[];

const UNEXPECTED: Problem = { title: 'Internal Server Error', status: 500, code: 'internal_error' };

/**
 * The status of a failure after a destination has answered. A decline stays a decline. A success
 * that cannot be shown is no success, and no status by which clients repeat a request. A 304 could
 * have no body.
 */
const statusOf = (destinationStatus: number, otherwise: number): number =>
  destinationStatus >= 300 && destinationStatus !== 304 ? destinationStatus : otherwise;

/**
 * The problem and headers that report a failure to the caller. They reveal nothing else of an
 * unexpected failure.
 */
export function problemOf(error: unknown): {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
} {
  if (!(error instanceof ServiceError)) return { problem: UNEXPECTED, headers: {} };
  const { status, title, code = error.code } = PROBLEMS[error.code];
  const { destinationStatus } = error;
  const problem = defined({
    title,
    status: destinationStatus === undefined ? status : statusOf(destinationStatus, status),
    code: code as ProblemCode,
    detail: error.message,
    errors: error.errors,
    destination_status: destinationStatus,
  });
  return { problem, headers: error.headers };
}

/**
 * The problem with the address of its page as its first member: a URI reference (RFC 9457, 3.1.1),
 * so a path is relative to the service.
 */
export const withType = (problem: Problem, docsUrl: string): Problem =>
  docsUrl === '' ? problem : { type: `${docsUrl}/errors/${problem.code}`, ...problem };

/** The error object of a failure that is part of a result. */
export function presentFailure(error: unknown): JsonObject {
  const { title, status, code, detail, errors } = problemOf(error).problem;
  return defined({ title, status, code, detail, errors: errors && { ...errors } });
}

/** The error object that every operation returns (docs/contract.md#errors). */
export const problemResponse = /* @__PURE__ */ madeOnce(() =>
  z
    .object({
      type: described(
        z.optional(z.string()),
        'The page of the code, if the service has documentation: an address, or a path of the service.',
      ),
      title: z.string(),
      status: z.int(),
      code: described(
        z.enum(names(problemCodes())),
        'The error for programs. It is stable, while the words may change.',
      ),
      detail: described(z.optional(z.string()), 'Absent on an unexpected 500.'),
      errors: described(
        z.optional(z.record(z.string(), z.array(z.string()))),
        'The problems, by the path of the member (`data.number`, `rules[0].priority`).',
      ),
      destination_status: described(
        z.optional(z.int()),
        'Of `transform_failed`: the status that the destination returned; its answer is not shown.',
      ),
    })
    .check(
      z.meta({
        id: 'Problem',
        description: 'An error with the fields of RFC 9457. It never contains data or a key.',
        examples: [
          {
            title: 'Bad Request',
            status: 400,
            code: 'validation_failed',
            detail: 'One or more validation errors occurred.',
            errors: { contaners: ['is not known; did you mean `containers`?'] },
          },
        ],
      }),
    ),
);

/** Responses of API Gateway itself, before a function of the service runs (docs/decisions/0006). */
export const gatewayMessage = /* @__PURE__ */ madeOnce(() =>
  z
    .object({
      message: z.nullable(z.string()),
      title: z.optional(z.string()),
      status: z.optional(z.int()),
    })
    .check(
      z.meta({
        id: 'GatewayMessage',
        description: 'A response of API Gateway itself: no function of the service ran.',
      }),
    ),
);

/** The response of a failure that the proxy itself reports. */
export const proxyProblem = /* @__PURE__ */ madeOnce(() =>
  z.object({ proxy_error: problemResponse() }).check(
    z.meta({
      id: 'ProxyProblem',
      description: 'The proxy itself failed: the destination sent no response, or an incomplete one.',
    }),
  ),
);
