import middy from '@middy/core';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { requireAuthorized, type AuthenticateDeps } from '../core/access/authenticate.ts';
import { requirePermission } from '../core/access/require-permission.ts';
import type { ClientCompatibility } from '../core/shared/client-compatibility.ts';
import { defined } from '../core/shared/defined.ts';
import type { Platform } from '../core/shared/platform.ts';
import type { AuditLog } from '../core/audit/audit-log.ts';
import type { Sightings } from '../core/audit/audit-scope.ts';
import type { Classified, Unaudited } from '../lambda/audited-deps.ts';
import type { TenantKeys } from '../core/crypto/tenant-keys.ts';
import type { RequestLog } from '../lambda/request-log.ts';
import {
  addTraceId,
  respondToOptions,
  logRequest,
  presentProblems,
  requireEdge,
  type ApiCall,
} from './api-middlewares.ts';
import { apiRequest, type ApiRequest } from './api-request.ts';
import { createRefusals, recordRequest, sourceAddress } from './record-request.ts';
import { responseOf, type ApiResponse } from './api-response.ts';
import { withIdempotency, type ResponseContent, type IdempotencyDeps } from './idempotency.ts';
import { readCondition } from './read-condition.ts';
import { readTransformHeader } from './read-transform-header.ts';
import { createIdentification, type Admit, type Identified } from './identify.ts';
import { checkBodySize, checkMediaType, checkBody, parseQuery, readBody } from './parse-input.ts';
import { problemOf, type Problem } from '../wire/problem.ts';
import type { MatchedRoute, Route } from './route.ts';
import { routeTable } from './route-table.ts';

/** Every function behind the API needs these, in addition to the dependencies of its routes. */
export interface ApiDeps extends AuthenticateDeps, IdempotencyDeps, Pick<Platform, 'startTimer'> {
  readonly tenantKeys: TenantKeys;
  readonly headerPrefixes: readonly string[];
  readonly clientCompatibility: ClientCompatibility;
  /** Each error refers to a page below this address. Empty for none. */
  readonly docsUrl: string;
  /** Every request must carry one of these secrets. Empty without an edge (CloudFront). */
  readonly edgeSecret: readonly string[];
  readonly log: RequestLog;
  readonly auditLog: AuditLog;
  /** Reports that a deleted or expired key was presented, some of many uses. */
  readonly onRetiredKeyUsed: () => void;
  /** The handler makes a new one for each request. */
  readonly audit: Sightings;
}

type Handler = (
  event: APIGatewayProxyEventV2,
  context?: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<ApiResponse>;

async function runRoute<Deps extends ApiDeps>(
  deps: Deps,
  { caller: authenticated, prefetch, proxy }: Identified,
  { route, params, request }: MatchedRoute<Deps>,
): Promise<ResponseContent> {
  requireAuthorized(authenticated);
  if (route.permission !== undefined) requirePermission(authenticated, route.permission);
  const atMost = readTransformHeader(route, request);
  const ifMatch = readCondition(route, request);
  const isPlain = atMost === undefined && ifMatch === undefined;
  const caller = isPlain ? authenticated : defined({ ...authenticated, atMost, ifMatch });
  checkBodySize(route, request);
  checkMediaType(route, request);
  const query = parseQuery(route, request);
  const body = readBody(route, request, deps.clientCompatibility);
  const checked = () => checkBody(route, request, body, deps.clientCompatibility);
  return withIdempotency(
    deps,
    caller,
    { route, params, request },
    {
      body,
      async run(writes, once) {
        const input = { caller, params, query, body: checked(), writes, once, request };
        const admitted = proxy === undefined ? {} : { admitted: proxy };
        return route.handle(deps, { ...input, ...admitted, prefetched: await prefetch });
      },
      replay(replayData) {
        if (route.replay === undefined)
          throw new Error('replay: the route stored data that it cannot replay');
        return route.replay(deps, { caller, params, body: checked() }, replayData);
      },
    },
  );
}

/** Names the tokens of a request that was refused, if it can be read. */
async function nameTokens<Deps extends ApiDeps>(
  deps: Deps,
  { caller, proxy }: Identified,
  { route, request }: MatchedRoute<Deps>,
): Promise<void> {
  if (route.nameTokens === undefined) return;
  const admitted = proxy === undefined ? {} : { admitted: proxy };
  try {
    checkBodySize(route, request);
    const body = readBody(route, request, deps.clientCompatibility) ?? null;
    await route.nameTokens(deps, { caller, body, request, ...admitted });
  } catch (error) {
    if (problemOf(error).problem.status >= 500) throw error;
  }
}

/**
 * Steps that need no result of another step are middlewares. Caller, permission, input and key
 * depend on each other, so they stay a sequence. `present` builds the body of a problem. `leave` is
 * the last step of every response, also of a failure.
 */
export function createApiHandler<Deps extends ApiDeps>(
  deps: Unaudited<Deps> & Classified<Unaudited<Deps>>,
  routes: readonly Route<Deps>[],
  {
    present = (problem) => problem,
    admit,
    leave = (_request, response) => response,
  }: {
    readonly present?: (problem: Problem) => unknown;
    readonly admit?: Admit<Deps>;
    readonly leave?: (request: ApiRequest, response: ApiResponse) => ApiResponse;
  } = {},
): Handler {
  const match = routeTable(routes);
  const identified = createIdentification(deps, admit);
  const recordRefusal = createRefusals(deps);
  const behindEdge = deps.edgeSecret.length > 0;

  async function respond(call: ApiCall): Promise<ApiResponse> {
    const { request } = call;
    const matched = { ...match(request.method, request.path), request };
    const { operation } = matched.route;
    call.operation = operation;
    const source = sourceAddress(request, behindEdge);
    const who = await recordRefusal({ op: operation, ip: source }, () => identified(matched, source));
    call.caller = who.caller;
    if (who.proxy !== undefined) call.proxyId = who.proxy.stored.id;
    try {
      const { response, revealed } = await recordRequest<Deps>(deps, who, matched, source, {
        run: async (audited) => responseOf(await runRoute(audited, who, matched), request.reserved),
        nameTokens: (audited) => nameTokens(audited, who, matched),
      });
      if (revealed > 0) call.revealed = revealed;
      return response;
    } finally {
      // An instance may be frozen after its response.
      await who.noted;
    }
  }

  // The gateway gives up before Lambda does, so middy's own timer would only cost time.
  const chain = middy<ApiCall, ApiResponse, unknown>({ timeoutEarlyInMillis: 0 })
    .use(respondToOptions())
    .use(addTraceId())
    .use(logRequest(deps.log))
    .use(presentProblems(present, deps.docsUrl))
    .use(requireEdge(deps.edgeSecret))
    .handler(respond);

  return async (event, context) => {
    const startedAt = performance.now();
    const request = apiRequest(deps, event, deps.headerPrefixes, context?.getRemainingTimeInMillis());
    const call: ApiCall = { request, startedAt, operation: 'none' };
    // No step reads Lambda's context.
    return leave(request, await chain(call, {} as Context));
  };
}
