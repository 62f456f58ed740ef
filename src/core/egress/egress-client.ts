import type { PortEffects } from '../audit/effect.ts';
import type { Secret } from '../shared/secret.ts';
import type { BodyBytes } from '../shared/utf8.ts';
import type { Destination } from './destination.ts';

/** Header fields in their order; a name may occur more than once. */
export type HeaderFields = readonly (readonly [name: string, value: string])[];

/** A request that leaves the service. Its content may contain plaintext. */
export interface OutboundRequest {
  readonly destination: Destination;
  readonly method: string;
  /** Path and query, encoded. */
  readonly target: Secret<string>;
  readonly headers: Secret<HeaderFields>;
  readonly body: Secret<BodyBytes>;
  /** A certificate with its private key in PEM, which is shown to the destination. */
  readonly clientCertificate?: Secret<string>;
  /** Time limit for receiving the whole response, in ms. */
  readonly timeoutMs: number;
  /**
   * Most bytes of a response body. With `unread` only the status matters, and the body is empty.
   */
  readonly bodyMaxBytes: number | 'unread';
}

export interface InboundResponse {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly body: Buffer;
}

/**
 * Checks every address of the name and connects to a checked one with the name's certificate. It
 * follows no redirect. Rejects with `validation_failed` for a forbidden address,
 * `destination_timeout`, and `destination_unreachable` for any other failure before the response is
 * complete.
 */
export interface EgressClient {
  send(request: OutboundRequest): Promise<InboundResponse>;
}

export const EGRESS_CLIENT_EFFECTS: PortEffects<EgressClient> = {
  send: ({ destination }) => ({ host: destination.url.host, leaves: true }),
};
