import type { MiddlewareObj } from '@middy/core';
import type { Caller } from '../core/access/caller.ts';
import { defined } from '../core/shared/defined.ts';
import { causesOf, type RequestLog } from '../lambda/request-log.ts';
import type { ApiRequest } from './api-request.ts';
import { jsonResponse, type ApiResponse } from './api-response.ts';
import { checkEdge } from './edge-secret.ts';
import { problemOf, withType, type Problem } from '../wire/problem.ts';

/** A request in the middleware chain, with what the log line needs to know about it. */
export interface ApiCall {
  readonly request: ApiRequest;
  /** The reading of `performance.now()` when the request arrived, in ms. */
  readonly startedAt: number;
  operation: string;
  caller?: Caller;
  /** The stored proxy whose key the request has. */
  proxyId?: string;
  /** The number of tokens that the response shows in plaintext. Absent for none. */
  revealed?: number;
}

/**
 * A step that needs no result of another step. `before` runs from first to last, the other hooks
 * from last to first.
 */
type Middleware = MiddlewareObj<ApiCall, ApiResponse, unknown>;

const traceHeader = ({ request: { reserved, traceId } }: ApiCall) => ({
  [reserved.nameOf('trace-id')]: traceId,
});

/**
 * The gateway responds to a browser's preflight. Any other OPTIONS needs no authentication and no
 * log line.
 */
export const respondToOptions = (): Middleware => ({
  before: ({ event }) =>
    event.request.method === 'OPTIONS' ? jsonResponse(204, undefined, traceHeader(event)) : undefined,
});

/** Puts the trace id on every response. */
export function addTraceId(): Middleware {
  const add: Middleware['after'] = ({ event, response }) => {
    if (response) response.headers = { ...response.headers, ...traceHeader(event) };
  };
  return { after: add, onError: add };
}

/** Writes one log line per request. Logs an unexpected failure with its causes. */
export function logRequest(log: RequestLog): Middleware {
  const write: Middleware['after'] = ({ event: call, response, error }) => {
    const status = response?.statusCode ?? 500;
    const unexpected = status >= 500;
    const code = error === undefined ? undefined : problemOf(error).problem.code;
    log({
      level: unexpected ? 'error' : 'info',
      traceId: call.request.traceId,
      operation: call.operation,
      status,
      milliseconds: Math.round(performance.now() - call.startedAt),
      ...(call.caller && { tenantId: call.caller.tenantId, applicationId: call.caller.applicationId }),
      ...defined({ proxyId: call.proxyId, revealed: call.revealed }),
      ...(code !== undefined && (unexpected || code === 'transform_failed') && { code }),
      ...(unexpected && { cause: causesOf(error) }),
    });
  };
  return { after: write, onError: write };
}

/**
 * Turns every failure into a problem response. `present` builds its body. With a `docsUrl` the
 * problem refers to its page.
 */
export const presentProblems = (present: (problem: Problem) => unknown, docsUrl: string): Middleware => ({
  onError: (call) => {
    const { problem, headers } = problemOf(call.error);
    const { destination_status: status } = problem;
    const { reserved } = call.event.request;
    call.response = jsonResponse(problem.status, present(withType(problem, docsUrl)), {
      ...headers,
      ...(status !== undefined && { [reserved.nameOf('proxy-destination-status')]: String(status) }),
    });
  },
});

/** Rejects requests that did not pass through the edge, where one is deployed. */
export const requireEdge = (secrets: readonly string[]): Middleware => ({
  before: ({ event }) => {
    checkEdge(secrets, event.request.headers);
  },
});
