import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { ServiceError } from '../core/shared/service-error.ts';
import type { ResponseContent } from './idempotency.ts';
import { rawResponse } from './raw-response.ts';
import type { ReservedHeader, ReservedHeaders } from './reserved-headers.ts';

export type ApiResponse = APIGatewayProxyStructuredResultV2;

/**
 * The largest response of a Lambda in bytes (AWS Lambda quotas: 6 MB), less room for headers. The
 * response contains the body as a JSON string.
 */
const RESPONSE_MAX_BYTES = 6_000_000;

/** Throws `payload_too_large` if a response cannot carry the text of the body. */
function responseText(body: unknown): string {
  const text = JSON.stringify(body);
  // Escaping at most doubles the length of JSON, so half the limit always fits.
  if (text.length * 2 > RESPONSE_MAX_BYTES && Buffer.byteLength(JSON.stringify(text)) > RESPONSE_MAX_BYTES)
    throw new ServiceError('payload_too_large', 'The response exceeds 6 MB: request less data.');
  return text;
}

/** A response with a JSON body. For `undefined` it has no body. Throws `payload_too_large`. */
export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  if (status === 204) return { statusCode: status, headers: { ...headers } };
  const content = body === undefined ? {} : { body: responseText(body) };
  return {
    statusCode: status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
    ...content,
  };
}

/** The result of a route as a response. Reserved headers get the prefix that the caller uses. */
export function responseOf(
  { status, body, raw, tag, reservedHeaders: named = {} }: ResponseContent,
  reserved: ReservedHeaders,
): ApiResponse {
  const entries = Object.entries(named).map(
    ([name, value]) => [reserved.nameOf(name as ReservedHeader), value] as const,
  );
  const headers = Object.fromEntries(tag === undefined ? entries : [...entries, ['ETag', tag] as const]);
  return raw === undefined ? jsonResponse(status, body, headers) : rawResponse(status, raw, headers);
}
