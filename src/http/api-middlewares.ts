import type { MiddlewareObj } from '@middy/core';
import type { Caller } from '../core/applications/application.ts';
import { causesOf, type RequestLog } from '../lambda/request-log.ts';
import type { ApiRequest } from './api-request.ts';
import { jsonResponse, type ApiResponse } from './api-response.ts';
import { checkEdge } from './edge-secret.ts';
import { problemOf, type Problem } from './problem.ts';

/** A request on its way through the chain, and what becomes known of it, for the log. */
export interface ApiCall {
  readonly request: ApiRequest;
  /** By `performance.now()`. */
  readonly startedAt: number;
  operation: string;
  caller?: Caller;
}

/**
 * A step of the chain that needs no result of another: `before` runs first to last, the others last
 * to first.
 */
type Middleware = MiddlewareObj<ApiCall, ApiResponse, unknown>;

const traceHeader = ({ request: { reserved, traceId } }: ApiCall) => ({
  [reserved.nameOf('trace-id')]: traceId,
});

/**
 * The gateway answers a browser's preflight; any other OPTIONS is harmless, and neither
 * authenticated nor logged.
 */
export const answerOptions = (): Middleware => ({
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

/** Writes one line a request. An unexpected failure is logged with its causes. */
export function logRequest(log: RequestLog): Middleware {
  const write: Middleware['after'] = ({ event: call, response, error }) => {
    const status = response?.statusCode ?? 500;
    const unexpected = status >= 500;
    log({
      level: unexpected ? 'error' : 'info',
      traceId: call.request.traceId,
      operation: call.operation,
      status,
      milliseconds: Math.round(performance.now() - call.startedAt),
      ...(call.caller && { tenantId: call.caller.tenantId, applicationId: call.caller.applicationId }),
      ...(unexpected && { cause: causesOf(error) }),
    });
  };
  return { after: write, onError: write };
}

/** Turns every failure into a problem. `present`: what a problem looks like in the body. */
export const presentProblems = (present: (problem: Problem) => unknown): Middleware => ({
  onError: (call) => {
    const { problem, headers } = problemOf(call.error);
    call.response = jsonResponse(problem.status, present(problem), headers);
  },
});

/** Refuses what did not come through the edge, where there is one. */
export const requireEdge = (secrets: readonly string[]): Middleware => ({
  before: ({ event }) => {
    checkEdge(secrets, event.request.headers);
  },
});
