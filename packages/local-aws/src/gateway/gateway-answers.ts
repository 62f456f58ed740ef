/** An answer that API Gateway gives by itself, without asking a function. */
export interface GatewayAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What an HTTP API returns by itself; no setting of it changes that. */
function answer(status: number, message: string): GatewayAnswer {
  return { status, body: JSON.stringify({ message }), headers: { 'content-type': 'application/json' } };
}

/** All of them: what API Gateway answers for an HTTP API when no function did. */
export const gatewayAnswers = {
  /** The path holds an escape that cannot be decoded. */
  malformedPath: answer(400, 'Bad Request'),
  /** No route matches. */
  noRoute: answer(404, 'Not Found'),
  /** The body is over API Gateway's 10 MB, or its event over Lambda's 6 MB. */
  tooLarge: answer(413, 'Request Entity Too Large'),
  /** The stage's or the route's rate is used up. */
  throttled: answer(429, 'Too Many Requests'),
  /** Request line and headers are over 10,240 bytes. */
  headersTooLarge: answer(431, 'Request Header Fields Too Large'),
  /** The function failed, may not be invoked, or answered what is not an HTTP response. */
  integrationFailed: answer(500, 'Internal Server Error'),
  /** The function took longer than the integration waits, or no instance of it was free. */
  integrationUnavailable: answer(503, 'Service Unavailable'),
} as const satisfies Readonly<Record<string, GatewayAnswer>>;

const own: ReadonlySet<unknown> = new Set(Object.values(gatewayAnswers));

/** Whether the gateway itself answers, and no function. */
export const isGatewayAnswer = (outcome: object): outcome is GatewayAnswer => own.has(outcome);
