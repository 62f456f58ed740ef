import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { contentOfBytes, contentOfText, type Content } from '../core/shared/content.ts';
import type { Platform } from '../core/shared/platform.ts';
import { traceId } from './trace-id.ts';
import { reservedHeaders, type ReservedHeaders } from './reserved-headers.ts';

/** A request before its route and its caller are known. */
export interface ApiRequest {
  readonly method: string;
  /** The path as the gateway sends it. */
  readonly rawPath: string;
  /** {@link rawPath} without a trailing slash. */
  readonly path: string;
  /** The query as it was sent, without `?`. */
  readonly rawQuery: string;
  readonly query: URLSearchParams;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly reserved: ReservedHeaders;
  /** The trace id that the caller sent, or a new one. */
  readonly traceId: string;
  readonly body: Content;
  /** The time when the gateway received the request, in ms since the epoch. */
  readonly receivedAt: number;
  /** How long the function may run from the start of the request until Lambda ends it, in ms. */
  readonly remainingMs: number;
  /** The source address that the gateway reports. */
  readonly sourceIp: string;
  /** The name of the service that the gateway reports, without a port. */
  readonly domainName: string;
  /**
   * The address of the service that the gateway reports: `https://host` without a slash at the end.
   */
  readonly baseUrl: string;
}

function lowerCased(headers: APIGatewayProxyEventV2['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value ?? ''] as const);
  return Object.fromEntries(entries);
}

/** One trailing slash is ignored on every path. */
function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/**
 * The address of the service. Nothing of it is the caller's, because the service sends credentials
 * there: the gateway overwrites the headers of the protocol and of the port. Only a local gateway
 * has another protocol than https, and so another port.
 */
function baseUrl(headers: Readonly<Record<string, string>>, domainName: string): string {
  if (headers['x-forwarded-proto'] !== 'http') return `https://${domainName}`;
  const port = headers['x-forwarded-port'] ?? '';
  return `http://${domainName}${/^\d{1,5}$/.test(port) ? `:${port}` : ''}`;
}

function contentOf({ body = '', isBase64Encoded }: APIGatewayProxyEventV2): Content {
  return isBase64Encoded ? contentOfBytes(Buffer.from(body, 'base64')) : contentOfText(body);
}

/** The longest that the gateway waits for a response, in ms (AWS HTTP API quotas). */
const GATEWAY_MS = 30_000;

/**
 * The time at which the gateway received the request. A time further back than the gateway waits is
 * ignored, because `sam local` sends the time of its own start, in seconds.
 */
function receivedAt(timeEpoch: number, now: number): number {
  return timeEpoch > now - GATEWAY_MS ? timeEpoch : now;
}

/** Reads an API Gateway event of payload format 2.0. */
export function apiRequest(
  { clock, random }: Pick<Platform, 'clock' | 'random'>,
  event: APIGatewayProxyEventV2,
  headerPrefixes: readonly string[],
  remainingMs = GATEWAY_MS,
): ApiRequest {
  const headers = lowerCased(event.headers);
  const { domainName } = event.requestContext;
  // Payload format 2.0 moves the cookies out of the headers.
  if (event.cookies !== undefined && event.cookies.length > 0) headers['cookie'] = event.cookies.join('; ');
  const reserved = reservedHeaders(headers, headerPrefixes);
  return {
    method: event.requestContext.http.method,
    sourceIp: event.requestContext.http.sourceIp,
    receivedAt: receivedAt(event.requestContext.timeEpoch, clock()),
    remainingMs,
    domainName,
    baseUrl: baseUrl(headers, domainName),
    rawPath: event.rawPath,
    path: withoutTrailingSlash(event.rawPath),
    rawQuery: event.rawQueryString,
    query: new URLSearchParams(event.rawQueryString),
    headers,
    reserved,
    traceId: traceId(random, reserved.get('trace-id')),
    body: contentOf(event),
  };
}
