import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { gatewayResponses, type GatewayResponse } from '../../local-aws/src/gateway/gateway-responses.ts';
import { proxyEvent } from '../../local-aws/src/gateway/proxy-event.ts';
import { requestPath, type RequestPath } from '../../local-aws/src/gateway/request-path.ts';
import { createRouteTable } from '../../local-aws/src/gateway/route-table.ts';
import { API_FUNCTIONS } from './functions.ts';

export type ApiFunctionName = keyof typeof API_FUNCTIONS;

/** A request as it reaches the gateway. */
export interface GatewayCall {
  readonly method: string;
  readonly url: URL;
  /** A name may occur more than once. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

export interface GatewayAnswer {
  readonly status: number;
  /** Names are in lower case; only cookies occur more than once. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** Answers as the gateway does without a function. */
export const answerOf = ({ status, headers, body }: GatewayResponse): GatewayAnswer => ({
  status,
  headers: Object.entries(headers),
  body: Buffer.from(body),
});

/** Reads the result of a function. */
export function integrated(result: APIGatewayProxyStructuredResultV2): GatewayAnswer {
  const { statusCode = 200, headers = {}, cookies = [], body = '', isBase64Encoded } = result;
  return {
    status: statusCode,
    headers: [
      ...Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const),
      ...cookies.map((cookie) => ['set-cookie', cookie] as const),
    ],
    body: Buffer.from(body, isBase64Encoded === true ? 'base64' : 'utf8'),
  };
}

export const TOO_LARGE = answerOf(gatewayResponses.tooLarge);
export const FAILED = answerOf(gatewayResponses.integrationFailed);
const HEADERS_TOO_LARGE = answerOf(gatewayResponses.headersTooLarge);
const MALFORMED = answerOf(gatewayResponses.malformedPath);

const ROUTES = Object.entries(API_FUNCTIONS).flatMap(([name, { routes }]) =>
  routes.map((route) => ({ ...route, name: name as ApiFunctionName })),
);

/** The names of all operations, as the OpenAPI document has them. */
export const OPERATIONS = ROUTES.map(({ operation }) => operation);

const operationOf = createRouteTable(
  ROUTES.map(({ method, path, operation }) => ({ routeKey: `${method} ${path}`, target: operation })),
);

/** The function of each first segment. `applications` has all other paths (lib/api-stack.ts). */
const FUNCTION_OF: ReadonlyMap<string, ApiFunctionName> = new Map(
  ROUTES.map(({ path, name }) => [path.split('/')[1] ?? '', name] as const),
);
const OF_UNKNOWN_PATHS: ApiFunctionName = 'applications';

/** Method, address and headers together (API Gateway quotas). */
const HEADER_MAX_BYTES = 10_240;
const BODY_MAX_BYTES = 10 * 1024 * 1024;
/** How long the event of a function may be, in characters of JSON (AWS Lambda quotas: 6 MB). */
const EVENT_MAX = 6 * 1024 * 1024;

const EVENT_ROUTE = {
  accountId: '123456789012',
  apiId: 'vault',
  routeKey: '$default',
  pathParameters: {},
  stageVariables: undefined,
  requestId: 'vault',
};

/** Where a request goes, or the answer that the gateway itself has for it. */
export function route({ method, url, headers, body }: GatewayCall):
  | { readonly answer: GatewayAnswer }
  | {
      readonly name: ApiFunctionName;
      readonly operation: string | undefined;
      readonly path: RequestPath;
    } {
  const head = [method, url.pathname, url.search, ...headers.flat()];
  if (head.reduce((sum, text) => sum + text.length, 0) > HEADER_MAX_BYTES)
    return { answer: HEADERS_TOO_LARGE };
  const path = requestPath(url.pathname);
  if (path === undefined) return { answer: MALFORMED };
  if (body.length > BODY_MAX_BYTES) return { answer: TOO_LARGE };
  return {
    path,
    name: FUNCTION_OF.get(path.segments[0] ?? '') ?? OF_UNKNOWN_PATHS,
    operation: operationOf(method, path.segments)?.target,
  };
}

/** The event of a function; `undefined` if it is too large for one. */
export function eventOf(
  { method, url, headers, body }: GatewayCall,
  path: RequestPath,
  now: number,
): unknown {
  const event = proxyEvent(
    {
      method,
      path,
      rawQueryString: url.search.slice(1),
      rawHeaders: ['host', url.host, ...headers.flat()],
      body,
      protocol: 'HTTP/1.1',
      sourceIp: '127.0.0.1',
      port: 443,
    },
    EVENT_ROUTE,
    now,
  );
  return event.length > EVENT_MAX ? undefined : JSON.parse(event);
}
