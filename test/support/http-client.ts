import { parseJson } from '../../src/core/shared/parse-json.ts';

/** JSON of a response, of any shape: tests state their expectations. */
export type Body = any;

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent unchanged; `body` is sent as JSON. */
  readonly raw?: string | Uint8Array;
  readonly body?: unknown;
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Services that are not reached by a network, by their address. */
const fetches = new Map<string, Fetch>();

/** Sends the requests to an address by a function; returns what ends that. */
export function fetchBy(baseUrl: string, byFunction: Fetch): () => void {
  fetches.set(baseUrl, byFunction);
  return () => fetches.delete(baseUrl);
}

/** Returns the function that sends the requests to a service. */
export const fetchOf = (baseUrl: string): Fetch => fetches.get(baseUrl) ?? fetch;

/** Sends one request to a service. A `key` of `undefined` sends none. */
export async function send(
  baseUrl: string,
  key: string | undefined,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<ApiResponse> {
  const { raw, body } = options;
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const response = await fetchOf(baseUrl)(`${baseUrl}${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { 'SVC-API-KEY': key }),
      ...(body === undefined ? {} : { 'Content-Type': type }),
      ...options.headers,
    },
    ...(content === undefined ? {} : { body: content as string }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? parseJson(text) : text,
  };
}

export type HttpClient = ReturnType<typeof httpClient>;

/** A client of one service under one key. It resolves for every status. */
export function httpClient(baseUrl: string, key: string | undefined) {
  const call = (method: string, path: string, options?: CallOptions) =>
    send(baseUrl, key, method, path, options);
  return {
    send: call,
    get: (path: string, options?: CallOptions) => call('GET', path, options),
    post: (path: string, body?: unknown, options?: CallOptions) => call('POST', path, { ...options, body }),
    put: (path: string, body?: unknown, options?: CallOptions) => call('PUT', path, { ...options, body }),
    patch: (path: string, body?: unknown, options?: CallOptions) => call('PATCH', path, { ...options, body }),
    delete: (path: string, options?: CallOptions) => call('DELETE', path, options),
  };
}

/** Returns the body of a response; rejects with the error of the service if there is one. */
export type StrictClient = <T>(
  method: string,
  path: string,
  body?: unknown,
  options?: CallOptions,
) => Promise<T>;

export function strictClient(baseUrl: string, key: string | undefined): StrictClient {
  return async <T>(method: string, path: string, body?: unknown, options?: CallOptions) => {
    const reply = await send(baseUrl, key, method, path, { ...options, body });
    if (reply.status < 200 || reply.status >= 300)
      throw new Error(`${method} ${path}: ${String(reply.status)} ${JSON.stringify(reply.body)}`);
    return reply.body as T;
  };
}
