import { queryText, type Caller, type CallOptions, type Query } from './caller.ts';

export interface ProxyRequest extends CallOptions {
  /** Where it goes: https, with a DNS name. */
  readonly url: string;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Appended to the path of `url`. */
  readonly path?: string;
  readonly query?: Query;
  /** The destination's, its own authentication among them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes as they are; anything else as JSON. */
  readonly body?: unknown;
}

export interface ProxyResponse {
  /** The destination's. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  text(): string;
  json(): unknown;
}

function bodyOf(body: unknown): { readonly body: string | Uint8Array | undefined; readonly type?: string } {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return { body };
  return { body: JSON.stringify(body), type: 'application/json' };
}

/**
 * Sends a request with its detokenization expressions filled in. The destination's answer is the answer, whatever its status; throws `ApiError` where the proxy
 * itself failed.
 * @example const { status } = await client.proxy({ url: 'https://api.example.com/charge', method: 'POST', body: { card: `{{ ${id} }}` } });
 */
export function proxyOf(caller: Caller) {
  const header = (name: string) => `${caller.headerPrefix}-${name}`;
  return async ({
    url,
    method = 'GET',
    path = '',
    query,
    headers = {},
    body,
    signal,
  }: ProxyRequest): Promise<ProxyResponse> => {
    const content = bodyOf(body);
    const response = await caller.raw({
      method,
      path: `/proxy${path === '' || path.startsWith('/') ? path : `/${path}`}${queryText(query)}`,
      headers: {
        ...(content.type === undefined ? {} : { 'Content-Type': content.type }),
        ...headers,
        [header('PROXY-URL')]: url,
      },
      body: content.body,
      signal,
    });
    const status = response.headers[header('PROXY-DESTINATION-STATUS').toLowerCase()];
    if (status === undefined) throw caller.error(response);
    const text = () => new TextDecoder().decode(response.body);
    return {
      status: Number(status),
      headers: response.headers,
      body: response.body,
      text,
      json: () => JSON.parse(text()) as unknown,
    };
  };
}
