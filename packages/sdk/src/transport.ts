import type { TransportResponse } from './transport-response.ts';

/**
 * A separate file: the package's declarations do not need the DOM's types, of which `AbortSignal`
 * is one.
 */
export interface TransportRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly signal: AbortSignal;
}

/** One HTTP exchange. Rejects without a response; redirects are responses. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;
