import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { AwsError } from '../aws-service.ts';
import { errorMessage } from '../error-code.ts';
import type { FunctionHost } from '../lambda/function-host.ts';
import { foreignHostAnswer, isLoopbackHost } from '../loopback-host.ts';
import { readBody } from '../read-body.ts';
import { crossOriginHeaders, preflightHeaders } from './cors.ts';
import { gatewayAnswers, isGatewayAnswer, type GatewayAnswer } from './gateway-answers.ts';
import type { HttpApi, IntegrationDefinition } from './gateway-definition.ts';
import { integrationResponse, type IntegrationResponse } from './integration-response.ts';
import { listenOnLocalhost } from './listen.ts';
import { proxyEvent, type GatewayRequest } from './proxy-event.ts';
import { requestPath } from './request-path.ts';
import { createRouteTable, type RouteMatch } from './route-table.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/** An answer of the HTTP API, as it leaves. */
export interface Exchange {
  readonly method: string;
  /** Without the query, as it was sent. */
  readonly path: string;
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

export interface HttpGatewayOptions {
  readonly api: HttpApi;
  readonly functions: Pick<FunctionHost, 'invoke' | 'isPermitted'>;
  /** 0 takes any free port. */
  readonly port: number;
  readonly accountId: string;
  readonly region: string;
  /** Told of every answer before it is sent, but for preflights and pages. */
  readonly onAnswer?: (exchange: Exchange) => void;
  /**
   * Pages that are served beside the API, which has no such path. `accept` is the header, in which
   * browsers name `text/html`.
   */
  readonly pages?: (path: string, accept: string) => Promise<GatewayAnswer | undefined>;
  /** What stands in front of the API may show the gateway's own answers in another form. */
  readonly presentAnswer?: (answer: GatewayAnswer) => GatewayAnswer;
  /** Why a request got a 5xx answer of the gateway's own. */
  readonly log?: (line: string) => void;
  /** When a request is received, in milliseconds since the epoch. Default: the machine's time. */
  readonly now?: () => number;
}

export interface HttpGateway {
  readonly port: number;
  close(): Promise<void>;
}

/** API Gateway's quotas for HTTP APIs. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
const MAX_HEADER_BYTES = 10_240;
/** So long a stop waits for the requests that run. */
const GRACE_MS = 1_000;

type Outcome = GatewayAnswer | IntegrationResponse;

function headerBytes({ method = '', url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, method.length + url.length);
}

/**
 * The form of API Gateway's request ids: 16 characters that end in `=`. Node draws the bits of many
 * UUIDs at once, where a few random bytes would cost a call of OpenSSL each time.
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
 * Settles with the first of the two; the work goes on if the time runs out, as a Lambda function
 * does.
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

function answerForError(error: unknown): GatewayAnswer {
  if (error instanceof AwsError && error.code === 'RequestTooLargeException') return gatewayAnswers.tooLarge;
  if (error instanceof AwsError && error.code === 'TooManyRequestsException')
    return gatewayAnswers.integrationUnavailable;
  return gatewayAnswers.integrationFailed;
}

/**
 * Answers requests as API Gateway does for an HTTP API with Lambda proxy integrations (payload
 * format 2.0).
 */
export async function startHttpGateway(options: HttpGatewayOptions): Promise<HttpGateway> {
  const { api, functions, accountId, region, log = () => undefined, now = Date.now } = options;
  const routes = createRouteTable(
    api.routes.map(({ routeKey, integration }) => ({ routeKey, target: integration })),
  );
  const stageBucket = createTokenBucket(api.stage.defaultThrottling);
  const routeBuckets = new Map<string, TokenBucket>(
    Object.entries(api.stage.routeThrottling).map(([key, throttling]) => [
      key,
      createTokenBucket(throttling),
    ]),
  );
  let listeningPort = options.port;

  function mayInvoke({ routeKey, target }: RouteMatch<IntegrationDefinition>): boolean {
    const path = routeKey === '$default' ? '$default/$default' : `$default/${routeKey.replace(' ', '')}`;
    const source = `arn:aws:execute-api:${region}:${accountId}:${api.id}/${path}`;
    return functions.isPermitted(target.functionArn, 'apigateway.amazonaws.com', source);
  }

  async function integrate(
    request: GatewayRequest,
    match: RouteMatch<IntegrationDefinition>,
    requestId: string,
  ): Promise<Outcome> {
    const { routeKey, target, pathParameters } = match;
    if (!mayInvoke(match)) {
      log(`${routeKey}: the API has no permission to invoke ${target.functionArn}`);
      return gatewayAnswers.integrationFailed;
    }
    const stageVariables = api.stage.variables;
    const route = { accountId, apiId: api.id, routeKey, pathParameters, stageVariables, requestId };
    try {
      const result = await withinTime(
        functions.invoke(target.functionArn, proxyEvent(request, route, now())),
        target.timeoutMs,
      );
      if (result === 'timeout') {
        log(`${routeKey}: no answer within ${String(target.timeoutMs)} ms`);
        return gatewayAnswers.integrationUnavailable;
      }
      const response = result.failed ? undefined : integrationResponse(result.payload);
      if (response === undefined)
        log(`${routeKey}: the function ${result.failed ? 'failed' : 'returned no HTTP response'}`);
      return response ?? gatewayAnswers.integrationFailed;
    } catch (error) {
      log(`${routeKey}: ${errorMessage(error)}`);
      return answerForError(error);
    }
  }

  async function answer(request: IncomingMessage, requestId: string): Promise<Outcome> {
    const [target, rawQueryString] = splitOnce(request.url ?? '/', '?');
    if (headerBytes(request) > MAX_HEADER_BYTES) return gatewayAnswers.headersTooLarge;
    const path = requestPath(target);
    if (path === undefined) return gatewayAnswers.malformedPath;
    const method = request.method ?? 'GET';
    const match = routes(method, path.segments);
    if (match === undefined) return gatewayAnswers.noRoute;
    if (!(routeBuckets.get(match.routeKey) ?? stageBucket)()) return gatewayAnswers.throttled;
    const body = await readBody(request, MAX_BODY_BYTES);
    if (body === undefined) return gatewayAnswers.tooLarge;
    const protocol = `HTTP/${request.httpVersion}`;
    const { rawHeaders } = request;
    const from = { sourceIp: sourceIp(request), port: listeningPort };
    return await integrate(
      { method, path, rawQueryString, rawHeaders, body, protocol, ...from },
      match,
      requestId,
    );
  }

  function send(request: IncomingMessage, response: ServerResponse, requestId: string, given: Outcome): void {
    const outcome = isGatewayAnswer(given) ? (options.presentAnswer?.(given) ?? given) : given;
    const headers: Record<string, string | readonly string[]> = { ...outcome.headers };
    const { origin } = request.headers;
    if (api.cors !== undefined) {
      // The gateway's headers replace the function's: with CORS configured AWS ignores what the
      // backend says.
      for (const name of Object.keys(headers))
        if (name.startsWith('access-control-')) Reflect.deleteProperty(headers, name);
      if (origin !== undefined) Object.assign(headers, crossOriginHeaders(api.cors, origin));
    }
    if ('cookies' in outcome && outcome.cookies.length > 0) headers['set-cookie'] = outcome.cookies;
    const body = typeof outcome.body === 'string' ? Buffer.from(outcome.body) : outcome.body;
    if (outcome.status !== 204 && outcome.status !== 304) headers['content-length'] = String(body.length);
    headers['apigw-requestid'] = requestId;
    const [path] = splitOnce(request.url ?? '/', '?');
    options.onAnswer?.({ method: request.method ?? 'GET', path, status: outcome.status, headers, body });
    response.writeHead(outcome.status, headers as Record<string, string | string[]>);
    response.end(body);
  }

  async function pageFor(request: IncomingMessage): Promise<GatewayAnswer | undefined> {
    const { method, url = '/', headers } = request;
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    return options.pages?.(splitOnce(url, '?')[0], headers.accept ?? '');
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isLoopbackHost(request.headers.host)) {
      request.resume();
      response.writeHead(foreignHostAnswer.status, foreignHostAnswer.headers);
      response.end(foreignHostAnswer.body);
      return;
    }
    const requestId = newRequestId();
    if (api.cors !== undefined && isPreflight(request)) {
      response.writeHead(204, {
        ...preflightHeaders(api.cors, request.headers.origin ?? ''),
        'apigw-requestid': requestId,
      });
      response.end();
      return;
    }
    const page = await pageFor(request);
    if (page !== undefined) {
      response.writeHead(page.status, { ...page.headers });
      response.end(page.body);
      return;
    }
    const outcome = await answer(request, requestId);
    try {
      send(request, response, requestId, outcome);
    } catch (error) {
      // A header that HTTP cannot carry.
      log(errorMessage(error));
      if (!response.headersSent) send(request, response, requestId, gatewayAnswers.integrationFailed);
    }
  }

  const listening = await listenOnLocalhost(
    () =>
      createServer(
        // Without a Host: 403 as with another one, not 400 of Node's own.
        { maxHeaderSize: 64 * 1024, keepAliveTimeout: 60_000, requestTimeout: 0, requireHostHeader: false },
        (request, response) => {
          serve(request, response).catch(() => request.socket.destroy());
        },
      ),
    options.port,
  );
  listeningPort = listening.port;
  return { port: listening.port, close: () => listening.close(GRACE_MS) };
}

function splitOnce(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}
