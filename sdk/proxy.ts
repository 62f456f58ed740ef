import { mergedHeaders, queryText, type Caller, type CallOptions, type Query } from './caller.ts';
import type { Json } from './resources.ts';

/** Never retried, since the SDK cannot know what the destination makes of it. */
export interface ProxyRequest extends Omit<CallOptions, 'maxRetries'> {
  /** Where it goes: https, with a DNS name. */
  readonly url: string;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined;
  /** Appended to the path of `url`. */
  readonly path?: string | undefined;
  readonly query?: Query | undefined;
  /** The destination's, its own authentication among them. A browser sends `Content-Type` alone. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Text and bytes as they are, with your `Content-Type`; anything else as JSON. */
  readonly body?: Json | Uint8Array | undefined;
  /** `Keep-Alive` of the outbound call. */
  readonly keepAlive?: string | undefined;
  /** `Connection` of the outbound call. */
  readonly connection?: string | undefined;
}

export interface ProxyResponse {
  /** The destination's. */
  readonly status: number;
  /** Names in lower case; in a browser those alone that CORS shows. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  text(): string;
  json(): unknown;
}

function bodyOf(body: ProxyRequest['body']): {
  readonly body: string | Uint8Array | undefined;
  readonly type?: string;
} {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return { body };
  return { body: JSON.stringify(body), type: 'application/json' };
}

export function proxyOf(caller: Caller) {
  const header = (name: string) => `${caller.headerPrefix}-${name}`;
  const optional = (name: string, value: string | undefined) =>
    value === undefined ? {} : { [header(name)]: value };
  return async (proxied: ProxyRequest): Promise<ProxyResponse> => {
    const {
      url,
      method = 'GET',
      path = '',
      query,
      headers,
      body,
      keepAlive,
      connection,
      ...options
    } = proxied;
    const content = bodyOf(body);
    const response = await caller.raw({
      ...options,
      method,
      path: `/proxy${path === '' || path.startsWith('/') ? path : `/${path}`}${queryText(query)}`,
      headers: mergedHeaders(
        content.type === undefined ? {} : { 'Content-Type': content.type },
        headers ?? {},
        { [header('PROXY-URL')]: url },
        optional('PROXY-KEEP-ALIVE', keepAlive),
        optional('PROXY-CONNECTION', connection),
      ),
      body: content.body,
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
