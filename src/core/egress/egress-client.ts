import type { Secret } from '../shared/secret.ts';
import type { Destination } from './destination.ts';

/** Header fields in their order; a name may occur more than once. */
export type HeaderFields = readonly (readonly [name: string, value: string])[];

/** A request that leaves the service. Its content may hold plaintext. */
export interface OutboundRequest {
  readonly destination: Destination;
  readonly method: string;
  /** Path and query, encoded. */
  readonly target: Secret<string>;
  readonly headers: Secret<HeaderFields>;
  readonly body: Secret<Buffer>;
  /** Time to the whole answer, in ms. */
  readonly timeoutMs: number;
  /**
   * Largest body that is taken, in bytes; `unread`: the status is all that counts, and the body of
   * the answer is empty.
   */
  readonly bodyMaxBytes: number | 'unread';
}

export interface InboundResponse {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly body: Buffer;
}

/**
 * Makes requests to the outside: resolves the name, checks every address, connects to a checked one
 * with the name's certificate, follows no redirect. Rejects with `validation_failed` for a name
 * that leads to a forbidden address, `destination_timeout`, and `destination_unreachable` for
 * everything else that keeps the answer from coming whole.
 */
export interface EgressClient {
  send(request: OutboundRequest): Promise<InboundResponse>;
}
