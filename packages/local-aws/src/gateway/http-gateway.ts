import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { AwsError } from '../aws-service.ts';
import { errorMessage } from '../error-code.ts';
import type { FunctionHost } from '../lambda/function-host.ts';
import { foreignHostResponse, isLoopbackHost } from '../loopback-host.ts';
import { readBody } from '../read-body.ts';
import { crossOriginHeaders, preflightHeaders } from './cors.ts';
import {
  gatewayResponses,
  isGatewayResponse,
  type GatewayPage,
  type GatewayResponse,
} from './gateway-responses.ts';
import type { HttpApi, IntegrationDefinition } from './gateway-definition.ts';
import { integrationResponse, type IntegrationResponse } from './integration-response.ts';
import { listenOnLocalhost } from './listen.ts';
import { proxyEvent, type GatewayRequest } from './proxy-event.ts';
import { requestPath } from './request-path.ts';
import { createRouteTable, type RouteMatch } from './route-table.ts';
import { createTokenBucket, type TokenBucket } from '../token-bucket.ts';

/** A request that the HTTP API has answered, and the response. */
export interface Exchange {
  readonly method: string;
  /** The unchanged path, without the query. */
  readonly path: string;
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

/** The metrics and the access log have this of a response. */
export interface ObservedResponse {
  readonly status: number;
  /** The time since the request arrived. */
  readonly latencyMs: number;
  /** The gateway has answered without a function, or instead of one. */
  readonly isOwn: boolean;
}

export interface HttpGatewayOptions {
  readonly api: HttpApi;
  readonly functions: Pick<FunctionHost, 'invoke' | 'isPermitted'>;
  /** 0 selects a free port. */
  readonly port: number;
  readonly accountId: string;
  readonly region: string;
  /** Called before every response, except for preflights and pages. */
  readonly onResponse?: (exchange: Exchange) => void;
  /** Called for each response of the API. */
  readonly observe?: (response: ObservedResponse) => void;
  /**
   * Pages next to the API, which has no such path. Browsers name `text/html` in `accept`.
   */
  readonly pages?: (path: string, headers: IncomingHttpHeaders) => Promise<GatewayPage | undefined>;
  /** Rewrites the gateway's own responses, like a front end of the API might. */
  readonly presentResponse?: (reply: GatewayResponse) => GatewayResponse;
  /** Called with the reason if the gateway itself returns a 5xx. */
  readonly log?: (line: string) => void;
  /**
   * Returns the time when a request is received, in milliseconds since the epoch. Default: the
   * machine's time.
   */
  readonly now?: () => number;
}

export interface HttpGateway {
  readonly port: number;
  close(): Promise<void>;
}

/** API Gateway's quotas for HTTP APIs. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
const MAX_HEADER_BYTES = 10_240;
/** How long a stop waits for running requests. */
const GRACE_MS = 1_000;

type Outcome = GatewayResponse | IntegrationResponse;
type Match = RouteMatch<IntegrationDefinition>;

interface Begun {
  readonly requestId: string;
  readonly startedMs: number;
}

function headerBytes({ method = '', url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, method.length + url.length);
}

/**
 * The form of API Gateway's request ids: 16 characters that end in `=`. Node draws the bits of many
 * UUIDs together, where a few random bytes would cost a call of OpenSSL each time.
 */
function newRequestId(): string {
  return `${randomUUID().replaceAll('-', '').slice(-15)}=`;
}

function sourceIp(request: IncomingMessage): string {
  return (request.socket.remoteAddress ?? '127.0.0.1').replace('::ffff:', '');
}

function isPreflight(request: IncomingMessage): boolean {
  const { origin, 'access-control-request-method': method } = request.headers;
  return request.method === 'OPTIONS' && origin !== undefined && method !== undefined;
}

/**
 * Settles with the first of the two; after a timeout the work continues, as in a Lambda function.
 */
async function withinTime<T>(work: Promise<T>, timeoutMs: number): Promise<T | 'timeout'> {
  const { promise: timeout, resolve } = Promise.withResolvers<'timeout'>();
  const timer = setTimeout(resolve, timeoutMs, 'timeout');
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function responseForError(error: unknown): GatewayResponse {
  if (error instanceof AwsError && error.code === 'RequestTooLargeException')
    return gatewayResponses.tooLarge;
  if (error instanceof AwsError && error.code === 'TooManyRequestsException')
    return gatewayResponses.integrationUnavailable;
  return gatewayResponses.integrationFailed;
}

/** Owns the throttling of the API, and responds to its requests. */
class RequestHandler {
  readonly #options: HttpGatewayOptions;
  readonly #routes: (method: string, segments: readonly string[]) => Match | undefined;
  readonly #stageBucket: TokenBucket;
  readonly #routeBuckets: ReadonlyMap<string, TokenBucket>;
  readonly #log: (line: string) => void;
  /** The port that requests name: a free one is known once the server listens. */
  port: number;

  constructor(options: HttpGatewayOptions) {
    const { routes, stage } = options.api;
    this.#options = options;
    this.#routes = createRouteTable(
      routes.map(({ routeKey, integration }) => ({ routeKey, target: integration })),
    );
    this.#stageBucket = createTokenBucket(stage.defaultThrottling);
    this.#routeBuckets = new Map(
      Object.entries(stage.routeThrottling).map(([key, throttling]): [string, TokenBucket] => [
        key,
        createTokenBucket(throttling),
      ]),
    );
    this.#log = options.log ?? (() => undefined);
    this.port = options.port;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isLoopbackHost(request.headers.host)) {
      request.resume();
      response.writeHead(foreignHostResponse.status, foreignHostResponse.headers);
      response.end(foreignHostResponse.body);
      return;
    }
    const { cors } = this.#options.api;
    const requestId = newRequestId();
    const begun = { requestId, startedMs: performance.now() };
    if (cors !== undefined && isPreflight(request)) {
      response.writeHead(204, {
        ...preflightHeaders(cors, request.headers.origin ?? ''),
        'apigw-requestid': requestId,
      });
      response.end();
      return;
    }
    const page = await this.#pageFor(request);
    if (page !== undefined) {
      response.writeHead(page.status, { ...page.headers });
      response.end(page.body);
      return;
    }
    const outcome = await this.#reply(request, requestId);
    try {
      this.#send(request, response, begun, outcome);
    } catch (error) {
      // A header that HTTP cannot carry.
      this.#log(errorMessage(error));
      if (!response.headersSent) this.#send(request, response, begun, gatewayResponses.integrationFailed);
    }
  }

  async #pageFor(request: IncomingMessage): Promise<GatewayPage | undefined> {
    const { method, url = '/', headers } = request;
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    return this.#options.pages?.(splitOnce(url, '?')[0], headers);
  }

  async #reply(request: IncomingMessage, requestId: string): Promise<Outcome> {
    const [target, rawQueryString] = splitOnce(request.url ?? '/', '?');
    if (headerBytes(request) > MAX_HEADER_BYTES) return gatewayResponses.headersTooLarge;
    const path = requestPath(target);
    if (path === undefined) return gatewayResponses.malformedPath;
    const method = request.method ?? 'GET';
    const match = this.#routes(method, path.segments);
    if (match === undefined) return gatewayResponses.noRoute;
    if (!(this.#routeBuckets.get(match.routeKey) ?? this.#stageBucket)()) return gatewayResponses.throttled;
    const body = await readBody(request, MAX_BODY_BYTES);
    if (body === undefined) return gatewayResponses.tooLarge;
    const protocol = `HTTP/${request.httpVersion}`;
    const { rawHeaders } = request;
    const from = { sourceIp: sourceIp(request), port: this.port };
    return await this.#integrate(
      { method, path, rawQueryString, rawHeaders, body, protocol, ...from },
      match,
      requestId,
    );
  }

  #mayInvoke({ routeKey, target }: Match): boolean {
    const { accountId, region, api, functions } = this.#options;
    const path = routeKey === '$default' ? '$default/$default' : `$default/${routeKey.replace(' ', '')}`;
    const source = `arn:aws:execute-api:${region}:${accountId}:${api.id}/${path}`;
    return functions.isPermitted(target.functionArn, 'apigateway.amazonaws.com', source);
  }

  async #integrate(request: GatewayRequest, match: Match, requestId: string): Promise<Outcome> {
    const { accountId, api, functions, now = Date.now } = this.#options;
    const { routeKey, target, pathParameters } = match;
    if (!this.#mayInvoke(match)) {
      this.#log(`${routeKey}: the API has no permission to invoke ${target.functionArn}`);
      return gatewayResponses.integrationFailed;
    }
    const stageVariables = api.stage.variables;
    const route = { accountId, apiId: api.id, routeKey, pathParameters, stageVariables, requestId };
    try {
      const result = await withinTime(
        functions.invoke(target.functionArn, proxyEvent(request, route, now())),
        target.timeoutMs,
      );
      if (result === 'timeout') {
        this.#log(`${routeKey}: no answer within ${String(target.timeoutMs)} ms`);
        return gatewayResponses.integrationUnavailable;
      }
      const response = result.failed ? undefined : integrationResponse(result.payload);
      if (response === undefined)
        this.#log(`${routeKey}: the function ${result.failed ? 'failed' : 'returned no HTTP response'}`);
      return response ?? gatewayResponses.integrationFailed;
    } catch (error) {
      this.#log(`${routeKey}: ${errorMessage(error)}`);
      return responseForError(error);
    }
  }

  #send(
    request: IncomingMessage,
    response: ServerResponse,
    { requestId, startedMs }: Begun,
    input: Outcome,
  ): void {
    const { api, presentResponse, onResponse, observe } = this.#options;
    const outcome = isGatewayResponse(input) ? (presentResponse?.(input) ?? input) : input;
    const headers = headersOf(outcome, api.cors, request.headers.origin);
    const body = typeof outcome.body === 'string' ? Buffer.from(outcome.body) : outcome.body;
    if (outcome.status !== 204 && outcome.status !== 304) headers['content-length'] = String(body.length);
    headers['apigw-requestid'] = requestId;
    const [path] = splitOnce(request.url ?? '/', '?');
    onResponse?.({ method: request.method ?? 'GET', path, status: outcome.status, headers, body });
    const latencyMs = performance.now() - startedMs;
    observe?.({ status: outcome.status, latencyMs, isOwn: isGatewayResponse(input) });
    response.writeHead(outcome.status, headers as Record<string, string | string[]>);
    response.end(body);
  }
}

/**
 * Handles requests like API Gateway for an HTTP API with Lambda proxy integrations (payload format
 * 2.0).
 */
export async function startHttpGateway(options: HttpGatewayOptions): Promise<HttpGateway> {
  const handler = new RequestHandler(options);
  const listening = await listenOnLocalhost(
    () =>
      createServer(
        // A request without a Host gets 403, like one with a wrong Host. Node alone would return
        // 400.
        { maxHeaderSize: 64 * 1024, keepAliveTimeout: 60_000, requestTimeout: 0, requireHostHeader: false },
        (request, response) => {
          handler.serve(request, response).catch(() => request.socket.destroy());
        },
      ),
    options.port,
  );
  handler.port = listening.port;
  return { port: listening.port, close: () => listening.close(GRACE_MS) };
}

/** The headers of an outcome, with those that the gateway itself adds for a page's origin. */
function headersOf(
  outcome: Outcome,
  cors: HttpGatewayOptions['api']['cors'],
  origin: string | undefined,
): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = { ...outcome.headers };
  if (cors !== undefined) {
    // The gateway's headers replace the function's: with CORS configured AWS ignores those of the
    // backend.
    for (const name of Object.keys(headers))
      if (name.startsWith('access-control-')) Reflect.deleteProperty(headers, name);
    if (origin !== undefined) Object.assign(headers, crossOriginHeaders(cors, origin));
  }
  if ('cookies' in outcome && outcome.cookies.length > 0) headers['set-cookie'] = outcome.cookies;
  return headers;
}

function splitOnce(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}
