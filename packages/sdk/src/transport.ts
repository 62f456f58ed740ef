import type { TransportResponse } from './transport-response.ts';

/**
 * In a file of its own: the declarations of the package do without the types of the DOM, and
 * `AbortSignal` is one.
 */
export interface TransportRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly signal: AbortSignal;
}

/** One HTTP exchange. Rejects where no answer came; redirects are answers. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;
