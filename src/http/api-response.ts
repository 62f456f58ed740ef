import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { ServiceError } from '../core/shared/service-error.ts';
import type { Answer } from './idempotency.ts';
import { rawResponse } from './raw-answer.ts';
import type { ReservedHeader, ReservedHeaders } from './reserved-headers.ts';

export type ApiResponse = APIGatewayProxyStructuredResultV2;

/**
 * Largest answer of a Lambda in bytes (AWS Lambda quotas: 6 MB), with some room for its headers;
 * the body stands in it as a JSON string.
 */
const ANSWER_MAX_BYTES = 6_000_000;

/** The text of a body. Throws `payload_too_large` for more than an answer can carry. */
function answerText(body: unknown): string {
  const text = JSON.stringify(body);
  // Escaping at most doubles what JSON consists of: below the half nothing has to be counted.
  if (text.length * 2 > ANSWER_MAX_BYTES && Buffer.byteLength(JSON.stringify(text)) > ANSWER_MAX_BYTES)
    throw new ServiceError('payload_too_large', 'The answer is larger than 6 MB: ask for less at once.');
  return text;
}

/** A response with a JSON body; `undefined` has none. Throws `payload_too_large`. */
export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  if (status === 204) return { statusCode: status, headers: { ...headers } };
  const content = body === undefined ? {} : { body: answerText(body) };
  return {
    statusCode: status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
    ...content,
  };
}

/**
 * What a route answered as a response, its reserved headers under the prefix that the caller uses.
 */
export function responseOf(
  { status, body, raw, reservedHeaders: named = {} }: Answer,
  reserved: ReservedHeaders,
): ApiResponse {
  const entries = Object.entries(named).map(
    ([name, value]) => [reserved.nameOf(name as ReservedHeader), value] as const,
  );
  const headers = Object.fromEntries(entries);
  return raw === undefined ? jsonResponse(status, body, headers) : rawResponse(status, raw, headers);
}
