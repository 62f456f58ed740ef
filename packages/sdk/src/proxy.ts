import { parseJson } from '../../../src/core/shared/parse-json.ts';
import { isBytes } from './bytes.ts';
import { queryText, type Caller, type CallOptions, type Query } from './caller.ts';
import { checkedHeaders, headerValue, mergedHeaders } from './headers.ts';
import type { AsJson, Json } from './json.ts';
import { proxyPathOf } from './paths.ts';
import { SENDS_BODY_OF_GET } from './platform.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Never retried, since the SDK cannot know what the destination makes of it. */
export interface ProxyRequest<B = Json> extends Omit<CallOptions, 'maxRetries'> {
  /** Where it goes: https, with a DNS name. */
  readonly url: string;
  readonly method?: (typeof METHODS)[number] | undefined;
  /** Appended to the path of `url`; without `.` and `..`, and without a query. */
  readonly path?: string | undefined;
  readonly query?: Query | undefined;
  /** The destination's, its own authentication among them; those that a browser lets a page set. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Text and bytes as they are, with your `Content-Type`; anything else as JSON. In a browser a GET
   * has none.
   */
  readonly body?: (B & AsJson<B>) | Uint8Array | undefined;
  /** `Keep-Alive` of the outbound call. */
  readonly keepAlive?: string | undefined;
  /** `Connection` of the outbound call. */
  readonly connection?: string | undefined;
}

export interface ProxyResponse {
  /** The destination's. */
  readonly status: number;
  /**
   * Names in lower case. Of a body that was decoded without `content-encoding` and
   * `content-length`.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** Each `Set-Cookie` of the destination, which is not among `headers`; none in a browser. */
  readonly setCookies: readonly string[];
  /** Decoded, where it came in gzip, deflate or br. */
  readonly body: Uint8Array;
  text(): string;
  json(): unknown;
}

/** Throws `TypeError` for what is nothing that can be sent. */
function bodyOf(body: unknown): { readonly body: string | Uint8Array | undefined; readonly type?: string } {
  if (body === undefined || typeof body === 'string' || isBytes(body)) return { body };
  // Of a function nothing is left, which the types of JSON.stringify do not say.
  const text = JSON.stringify(body) as string | undefined;
  if (text === undefined) throw new TypeError('body must be text, bytes, or what JSON can say');
  return { body: text, type: 'application/json' };
}

export function proxyOf(caller: Caller) {
  const header = (name: string) => `${caller.headerPrefix}-${name}`;
  const reserved = (name: string, option: string, value: string) => ({
    [header(name)]: headerValue(option, value),
  });
  return async <B>(proxied: ProxyRequest<B>): Promise<ProxyResponse> => {
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
    if (!METHODS.includes(method)) throw new TypeError(`method must be ${METHODS.join(', ')}`);
    const content = bodyOf(body);
    if (method === 'GET' && content.body !== undefined && !SENDS_BODY_OF_GET)
      throw new TypeError('A browser sends no GET with a body');
    const response = await caller.raw({
      ...options,
      method,
      prefix: '/proxy',
      rest: proxyPathOf(path) + queryText(query),
      headers: mergedHeaders(
        content.type === undefined ? {} : { 'Content-Type': content.type },
        checkedHeaders(headers ?? {}),
        reserved('PROXY-URL', 'url', url),
        keepAlive === undefined ? {} : reserved('PROXY-KEEP-ALIVE', 'keepAlive', keepAlive),
        connection === undefined ? {} : reserved('PROXY-CONNECTION', 'connection', connection),
      ),
      body: content.body,
    });
    const status = response.headers[header('PROXY-DESTINATION-STATUS').toLowerCase()];
    if (status === undefined) throw caller.error(response);
    const text = () => new TextDecoder().decode(response.body);
    return {
      status: Number(status),
      headers: response.headers,
      setCookies: response.setCookies,
      body: response.body,
      text,
      json: () => parseJson(text()),
    };
  };
}
