/*
 * The parts of the platform's `fetch` that the SDK uses: declarations without globals work without
 * the types of the DOM and of Node.
 */
import type { Signal } from './abort.ts';

/** The platform's own type where it has one, since its `fetch` accepts nothing else. */
type FetchSignal = typeof globalThis extends { readonly AbortSignal: { readonly prototype: infer S } }
  ? S
  : Signal;

export interface FetchRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** No memory that threads share: `fetch` rejects it. */
  readonly body?: string | ReturnType<Uint8Array['slice']>;
  /** Aborted at the timeout of the attempt, and when the caller aborts the call. */
  readonly signal: FetchSignal;
  readonly redirect: 'manual' | 'error';
  readonly credentials: 'omit';
}

export interface FetchResponse {
  readonly status: number;
  /** `opaqueredirect` is a redirect that a browser does not show. */
  readonly type?: string;
  /** Names and values; `set-cookie` once for each cookie. */
  readonly headers: Iterable<readonly [name: string, value: string]>;
  /** The body, decoded if its `content-encoding` is gzip, deflate or br. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Sends one request and resolves to any response; the platform's `fetch` is one. */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchResponse>;
