import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { RequestPath } from './request-path.ts';

/** The parts of an HTTP request that a function may see. */
export interface GatewayRequest {
  readonly method: string;
  readonly path: RequestPath;
  /** Is percent-encoded and has no question mark. */
  readonly rawQueryString: string;
  /** Names and values alternate, unchanged. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly protocol: string;
  readonly sourceIp: string;
  readonly port: number;
}

/** The route that the request matches. */
export interface EventRoute {
  readonly accountId: string;
  readonly apiId: string;
  readonly routeKey: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly stageVariables: Readonly<Record<string, string>> | undefined;
  readonly requestId: string;
}

/** Headers of one connection, which no proxy forwards (RFC 9110, section 7.6.1). */
const hopByHop = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const textTypes = new Set(['application/json', 'application/javascript', 'application/xml']);

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * Whether a body of this type is passed as text, as observed on AWS; a missing type, `+json` types
 * and forms arrive in base64 (github.com/ministackorg/ministack/pull/766).
 */
function isText(contentType: string | undefined): boolean {
  const [type = ''] = (contentType ?? '').toLowerCase().split(';', 1);
  const trimmed = type.trim();
  return trimmed.startsWith('text/') || textTypes.has(trimmed);
}

/** AWS X-Ray's form: `Root=1-<seconds, 8 digits in hex>-<24 random digits in hex>`. */
function newTraceId(nowMs: number): string {
  const random = randomUUID().replaceAll('-', '').slice(8);
  return `Root=1-${Math.floor(nowMs / 1000).toString(16)}-${random}`;
}

interface EventHeaders {
  readonly headers: Record<string, string>;
  readonly cookies: readonly string[];
}

function eventHeaders({ rawHeaders, body, sourceIp, port }: GatewayRequest, nowMs: number): EventHeaders {
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    if (name === 'cookie') cookies.push(...value.split(';').map((cookie) => cookie.trim()));
    else if (!hopByHop.has(name)) headers[name] = name in headers ? `${headers[name] ?? ''},${value}` : value;
  }
  const forwardedFor = headers['x-forwarded-for'];
  headers['content-length'] = String(body.length);
  headers['x-amzn-trace-id'] ??= newTraceId(nowMs);
  headers['x-forwarded-for'] = forwardedFor === undefined ? sourceIp : `${forwardedFor}, ${sourceIp}`;
  headers['x-forwarded-port'] = String(port);
  headers['x-forwarded-proto'] = 'http';
  return { headers, cookies };
}

function decodeQueryPart(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

function queryParameters(rawQueryString: string): Readonly<Record<string, string>> | undefined {
  if (rawQueryString === '') return undefined;
  const parameters = new Map<string, string>();
  for (const part of rawQueryString.split('&').filter((piece) => piece !== '')) {
    const equals = part.indexOf('=');
    const name = decodeQueryPart(equals === -1 ? part : part.slice(0, equals));
    const value = equals === -1 ? '' : decodeQueryPart(part.slice(equals + 1));
    const earlier = parameters.get(name);
    parameters.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return Object.fromEntries(parameters);
}

/** `10/Jul/2026:19:19:05 +0000`, Apache's log format. */
function logTime(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${two(date.getUTCDate())}/${months[date.getUTCMonth()] ?? ''}/${String(date.getUTCFullYear())}`;
  return `${day}:${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} +0000`;
}

function bodyMembers(body: Buffer, contentType: string | undefined): object {
  if (body.length === 0) return { isBase64Encoded: false };
  // A body that is not UTF-8 (compressed, say) could not be returned unchanged; whether AWS would
  // damage it was not observed.
  if (isText(contentType) && isUtf8(body)) return { body: body.toString('utf8'), isBase64Encoded: false };
  return { body: body.toString('base64'), isBase64Encoded: true };
}

function requestContext(
  request: GatewayRequest,
  route: EventRoute,
  headers: Readonly<Record<string, string>>,
  nowMs: number,
): object {
  const [named = ''] = (headers['host'] ?? '').split(':', 1);
  // API Gateway responds only under its own names, so the header of a caller never becomes one.
  const domainName = /^(?:localhost|127(?:\.\d+){3})$/.test(named) ? named : 'localhost';
  return {
    accountId: route.accountId,
    apiId: route.apiId,
    domainName,
    domainPrefix: domainName.split('.', 1)[0],
    http: {
      method: request.method,
      path: request.path.raw,
      protocol: request.protocol,
      sourceIp: request.sourceIp,
      userAgent: headers['user-agent'] ?? '',
    },
    requestId: route.requestId,
    routeKey: route.routeKey,
    stage: '$default',
    time: logTime(new Date(nowMs)),
    timeEpoch: nowMs,
  };
}

/**
 * The event of a Lambda proxy integration, payload format 2.0, as JSON text. Empty members are
 * omitted. `nowMs` is in milliseconds since the epoch.
 */
export function proxyEvent(request: GatewayRequest, route: EventRoute, nowMs: number): string {
  const { headers, cookies } = eventHeaders(request, nowMs);
  return JSON.stringify({
    version: '2.0',
    routeKey: route.routeKey,
    rawPath: request.path.raw,
    rawQueryString: request.rawQueryString,
    cookies: cookies.length > 0 ? cookies : undefined,
    headers,
    queryStringParameters: queryParameters(request.rawQueryString),
    requestContext: requestContext(request, route, headers, nowMs),
    pathParameters: Object.keys(route.pathParameters).length > 0 ? route.pathParameters : undefined,
    stageVariables: route.stageVariables,
    ...bodyMembers(request.body, headers['content-type']),
  });
}
