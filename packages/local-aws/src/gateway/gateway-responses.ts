/** A response that API Gateway returns itself, without a function. */
export interface GatewayResponse {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A page next to the API, which may be a picture or another file that is no text. */
export interface GatewayPage extends Omit<GatewayResponse, 'body'> {
  readonly body: string | Buffer;
}

/** Responses of an HTTP API itself; no setting changes them. */
function response(status: number, message: string): GatewayResponse {
  return { status, body: JSON.stringify({ message }), headers: { 'content-type': 'application/json' } };
}

/** All responses that API Gateway sends for an HTTP API without a function. */
export const gatewayResponses = {
  /** The path contains an escape that cannot be decoded. */
  malformedPath: response(400, 'Bad Request'),
  /** Sent if no route matches. */
  noRoute: response(404, 'Not Found'),
  /** The body is over API Gateway's 10 MB, or its event over Lambda's 6 MB. */
  tooLarge: response(413, 'Request Entity Too Large'),
  /** The rate of the stage or the route is exceeded. */
  throttled: response(429, 'Too Many Requests'),
  /** Request line and headers are over 10,240 bytes. */
  headersTooLarge: response(431, 'Request Header Fields Too Large'),
  /** The function failed, may not be invoked, or returned no HTTP response. */
  integrationFailed: response(500, 'Internal Server Error'),
  /** The function exceeded the integration's timeout, or had no free instance. */
  integrationUnavailable: response(503, 'Service Unavailable'),
} as const satisfies Readonly<Record<string, GatewayResponse>>;

const own: ReadonlySet<unknown> = new Set(Object.values(gatewayResponses));

export const isGatewayResponse = (outcome: object): outcome is GatewayResponse => own.has(outcome);
