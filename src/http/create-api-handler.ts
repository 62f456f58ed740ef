import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { AuthenticateDeps } from '../core/access/authenticate.ts';
import type { Caller } from '../core/applications/application.ts';
import type { TenantKeys } from '../core/crypto/tenant-keys.ts';
import { requirePermission } from '../core/access/require-permission.ts';
import { ServiceError } from '../core/shared/service-error.ts';
import { apiRequest, type ApiRequest } from './api-request.ts';
import { checkEdge } from './edge-secret.ts';
import { withIdempotency, type Answer, type IdempotencyDeps } from './idempotency.ts';
import { createIdentify, type Identification } from './identify.ts';
import { checkBodySize, checkMediaType, checkBody, parseQuery, readBody } from './parse-input.ts';
import { problemOf, type Problem } from './problem.ts';
import { rawResponse } from './raw-answer.ts';
import { causesOf, type RequestLog } from '../lambda/request-log.ts';
import type { ReservedHeader, ReservedHeaders } from './reserved-headers.ts';
import type { MatchedRoute, Route } from './route.ts';
import { routeTable } from './route-table.ts';

/** What the edge itself needs; a function's own dependencies come beside it. */
export interface EdgeDeps extends AuthenticateDeps, IdempotencyDeps {
  readonly tenantKeys: TenantKeys;
  readonly headerPrefixes: readonly string[];
  /** Of these every request must carry one; none if the API stands open by itself. */
  readonly edgeSecret: readonly string[];
  readonly log: RequestLog;
}

type Handler = (event: APIGatewayProxyEventV2) => Promise<APIGatewayProxyStructuredResultV2>;

/** What becomes known of a request on its way, for the log. */
interface Progress {
  operation: string;
  caller?: Caller;
}

/** Largest answer of a Lambda in bytes (AWS Lambda quotas: 6 MB), with some room for its headers; the body stands in it as a JSON string. */
const ANSWER_MAX_BYTES = 6_000_000;

/** The text of a body. Throws `payload_too_large` for more than an answer can carry. */
function answerText(body: unknown): string {
  const text = JSON.stringify(body);
  // Escaping at most doubles what JSON consists of: below the half nothing has to be counted.
  if (text.length * 2 > ANSWER_MAX_BYTES && Buffer.byteLength(JSON.stringify(text)) > ANSWER_MAX_BYTES)
    throw new ServiceError('payload_too_large', 'The answer is larger than 6 MB: ask for less at once.');
  return text;
}

function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): APIGatewayProxyStructuredResultV2 {
  if (status === 204) return { statusCode: status, headers: { ...headers } };
  const content = body === undefined ? {} : { body: answerText(body) };
  return {
    statusCode: status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
    ...content,
  };
}

function responseOf(
  { status, body, raw, reservedHeaders: named = {} }: Answer,
  reserved: ReservedHeaders,
  traceHeader: Readonly<Record<string, string>>,
): APIGatewayProxyStructuredResultV2 {
  const entries = Object.entries(named).map(
    ([name, value]) => [reserved.nameOf(name as ReservedHeader), value] as const,
  );
  const headers = { ...Object.fromEntries(entries), ...traceHeader };
  return raw === undefined ? jsonResponse(status, body, headers) : rawResponse(status, raw, headers);
}

/**
 * Starts the route's early read if the key was accepted before, so that the tenant it names is the caller's if there is one; what it rejects
 * with matters only where it is awaited.
 */
function startPrefetch<Deps>(deps: Deps, matched: MatchedRoute<Deps>, identification: Identification) {
  const tenantId = identification.likelyTenantId;
  if (matched.route.prefetch === undefined || tenantId === undefined) return undefined;
  const value = matched.route.prefetch(deps, tenantId, matched.params);
  value.catch(() => undefined);
  return value;
}

async function answer<Deps extends EdgeDeps>(
  deps: Deps,
  matched: MatchedRoute<Deps>,
  identification: Identification,
  progress: Progress,
): Promise<Answer> {
  const { route, params, request } = matched;
  const prefetch = startPrefetch(deps, matched, identification);
  const caller = await identification.caller;
  progress.caller = caller;
  if (route.permission !== undefined) requirePermission(caller, route.permission);
  checkBodySize(route, request);
  checkMediaType(route, request);
  const body = readBody(route, request);
  return withIdempotency(deps, caller, matched, {
    body,
    async run(writes, once) {
      const query = parseQuery(route, request);
      const input = { caller, params, query, body: checkBody(route, body), writes, once, request };
      return route.handle(deps, { ...input, prefetched: await prefetch });
    },
    replay(kept) {
      if (route.replay === undefined) throw new Error('replay: the route kept what it cannot show');
      return route.replay(deps, { caller, body: checkBody(route, body) }, kept);
    },
  });
}

/**
 * The Lambda handler over a route table: finds the route, authenticates, checks permission and input, runs the row under its
 * idempotency key, and turns every failure into a problem. One log line a request. `present`: what a problem looks like in the body, if
 * it does not stand there by itself.
 */
export function createApiHandler<Deps extends EdgeDeps>(
  deps: Deps,
  routes: readonly Route<Deps>[],
  options: { readonly present?: (problem: Problem) => unknown } = {},
): Handler {
  const present = options.present ?? ((problem: Problem): unknown => problem);
  const match = routeTable(routes);
  const identify = createIdentify(deps);

  function respond(request: ApiRequest, progress: Progress): Promise<Answer> {
    checkEdge(deps.edgeSecret, request.headers);
    const found = match(request.method, request.path);
    progress.operation = found.route.operation;
    return answer(
      deps,
      { ...found, request },
      identify(request.reserved.get('api-key'), { withSettings: found.route.needsSettings === true }),
      progress,
    );
  }

  return async (event) => {
    const started = performance.now();
    const request = apiRequest(event, deps.headerPrefixes);
    const traceHeader = { [request.reserved.nameOf('trace-id')]: request.traceId };
    const progress: Progress = { operation: 'none' };
    const finish = (status: number, error?: unknown) => {
      const unexpected = status >= 500;
      deps.log({
        level: unexpected ? 'error' : 'info',
        traceId: request.traceId,
        operation: progress.operation,
        status,
        milliseconds: Math.round(performance.now() - started),
        ...(progress.caller && {
          tenantId: progress.caller.tenantId,
          applicationId: progress.caller.applicationId,
        }),
        ...(unexpected && { cause: causesOf(error) }),
      });
    };
    // A browser's preflight is answered by the gateway; any other OPTIONS is harmless.
    if (request.method === 'OPTIONS') return jsonResponse(204, undefined, traceHeader);
    try {
      const found = await respond(request, progress);
      const response = responseOf(found, request.reserved, traceHeader);
      finish(found.status);
      return response;
    } catch (error) {
      const { problem, headers } = problemOf(error);
      finish(problem.status, error);
      return jsonResponse(problem.status, present(problem), { ...headers, ...traceHeader });
    }
  };
}
