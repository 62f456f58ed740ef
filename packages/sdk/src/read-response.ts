import { parseJson } from '../../../src/core/shared/parse-json.ts';
import { ApiError } from './api-error.ts';
import type { WithResponse } from './api-promise.ts';
import type { FieldErrors } from './errors.ts';
import { isRecord } from './is-record.ts';
import { retryAfterSeconds } from './retry.ts';
import type { TransportResponse } from './transport-response.ts';

const NO_JSON = Symbol('no JSON');

/** `undefined` for an empty body. */
function jsonOf({ body }: TransportResponse): unknown {
  if (body.length === 0) return undefined;
  try {
    return parseJson(new TextDecoder().decode(body));
  } catch {
    return NO_JSON;
  }
}

const textOr = <T>(value: unknown, otherwise: T): string | T =>
  typeof value === 'string' ? value : otherwise;

/** The error of a response, whose trace id is in the header `traceHeader`. */
export function errorOf(traceHeader: string, response: TransportResponse): ApiError {
  const body = jsonOf(response);
  const problem = isRecord(body) && isRecord(body['proxy_error']) ? body['proxy_error'] : body;
  const { title, code, type, detail, errors, message } = isRecord(problem) ? problem : {};
  return new ApiError({
    status: response.status,
    // Responses of API Gateway itself contain only a message.
    title: textOr(title, textOr(message, 'Error')),
    code: textOr(code, undefined),
    type: textOr(type, undefined),
    detail: textOr(detail, undefined),
    errors: isRecord(errors) ? (errors as FieldErrors) : undefined,
    traceId: response.headers[traceHeader],
    retryAfter: retryAfterSeconds(response.headers['retry-after'], Date.now()),
  });
}

/** A success; throws `ApiError` for anything else. */
export function contentOf(traceHeader: string, response: TransportResponse): WithResponse<unknown> {
  const { status, headers } = response;
  if (status < 200 || status >= 300) throw errorOf(traceHeader, response);
  const data = jsonOf(response);
  if (data !== NO_JSON) return { data, response: { status, headers } };
  // A server that returns a page instead of JSON is not the service.
  const title = 'Unexpected response';
  const detail = 'It is not JSON: is baseUrl the address of the service?';
  const { code, type, errors, traceId, retryAfter } = errorOf(traceHeader, response);
  throw new ApiError({ status, title, code, type, detail, errors, traceId, retryAfter });
}
