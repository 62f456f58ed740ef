import { ApiError } from '../../../sdk/src/api-error.ts';
import { isRecord } from '../../../sdk/src/is-record.ts';
import { retryAfterSeconds } from '../../../sdk/src/retry.ts';
import type { TransportResponse } from '../../../sdk/src/transport-response.ts';

/** A body that is no JSON is not the service's. */
function jsonOf({ body }: TransportResponse): unknown {
  try {
    // V8 may misread a name with an escape, which is then missing from what the page gets. It has
    // only this page's own answers to mistake it for (docs/decisions/0014).
    // oxlint-disable-next-line no-restricted-properties -- Our parser is a seventh of a frame.
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/**
 * Returns the JSON of a success, and throws `ApiError` for anything else. It has the parts alone
 * that a page may learn: the SDK's own reader is a tenth of a frame.
 */
export function readResponse(traceHeader: string, response: TransportResponse): unknown {
  const { status, headers } = response;
  const body = jsonOf(response);
  if (status >= 200 && status < 300 && body !== undefined) return body;
  const code = isRecord(body) ? body['code'] : undefined;
  throw new ApiError({
    status,
    title: '',
    code: typeof code === 'string' ? code : undefined,
    type: undefined,
    detail: undefined,
    errors: undefined,
    traceId: headers[traceHeader],
    retryAfter: retryAfterSeconds(headers['retry-after'], Date.now()),
  });
}
