import { parseJson } from '../../../src/core/shared/parse-json.ts';
import type { HttpClient, CallOptions } from './http-client.ts';
import { knownOptions, type Names } from './known-options.ts';
import { checkedHeaders, headerText, headerValue, mergedHeaders } from './headers.ts';
import type { AsJson, Json } from './json.ts';
import { proxyPathOf } from './paths.ts';
import { SENDS_BODY_OF_GET } from './platform.ts';
import { queryText, type Query } from './query.ts';
import { requestBodyOf, type PlatformBody } from './request-body.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

interface ProxyRequestMembers<B> extends Omit<CallOptions, 'maxRetries'> {
  /** `POST` with a body, else `GET`. */
  readonly method?: (typeof METHODS)[number] | undefined;
  /** Appended to the path of the destination; without `.` and `..`, and without a query. */
  readonly path?: string | undefined;
  readonly query?: Query | undefined;
  /**
   * Headers for the destination, its own authentication included; in a browser only those that a
   * page may set.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Strings and bytes are sent unchanged, with your `Content-Type`. Forms, blobs and streams are
   * sent as `fetch` does; a stream is read whole before. Any other value is sent as JSON, and
   * throws `TypeError` if JSON would lose its content. In a browser a GET has no body.
   */
  readonly body?: (B & AsJson<B>) | PlatformBody | undefined;
  /** Sets `Keep-Alive` of the outbound call. */
  readonly keepAlive?: string | undefined;
  /** Sets `Connection` of the outbound call. */
  readonly connection?: string | undefined;
}

/** Names its own destination, or a stored proxy that has one. */
export type ProxyDestination =
  | {
      /** The address of the destination: https, with a DNS name. */
      readonly url: string;
      readonly proxyKey?: undefined;
    }
  | {
      /**
       * A key of a stored proxy. The service evaluates no expressions in requests to a proxy with
       * `require_auth: false`.
       */
      readonly proxyKey: string;
      readonly url?: undefined;
    };

/** Never retried, since the SDK cannot know the effect at the destination. */
export type ProxyRequest<B = Json> = ProxyRequestMembers<B> & ProxyDestination;

const PROXY_OPTIONS = {
  url: 1,
  proxyKey: 1,
  method: 1,
  path: 1,
  query: 1,
  headers: 1,
  body: 1,
  keepAlive: 1,
  connection: 1,
  signal: 1,
  timeoutMs: 1,
  traceId: 1,
} satisfies Names<ProxyRequest>;

export interface ProxyResponse {
  /** The status that the destination returned. */
  readonly status: number;
  /** Names in lower case. A decoded body has no `content-encoding` and `content-length`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Each `Set-Cookie` of the destination, which `headers` omits; none in a browser. */
  readonly setCookies: readonly string[];
  /** Decoded if it was encoded as gzip, deflate or br. */
  readonly body: Uint8Array;
  text(): string;
  json(): unknown;
}

function onlyOne(others: readonly unknown[]): void {
  if (others.some((other) => other !== undefined))
    throw new TypeError('client.proxy takes one argument, which also has signal, timeoutMs and traceId');
}

export function proxyOf(http: HttpClient) {
  const header = (name: string) => `${http.headerPrefix}-${name}`;
  const reserved = (name: string, option: string, value: string) => ({
    [header(name)]: headerValue(option, value),
  });
  const destinationOf = ({ url, proxyKey }: { readonly url?: unknown; readonly proxyKey?: unknown }) => {
    if ((url === undefined) === (proxyKey === undefined))
      throw new TypeError('client.proxy needs either url or proxyKey');
    return proxyKey === undefined
      ? reserved('PROXY-URL', 'url', url as string)
      : { [header('PROXY-KEY')]: headerText('proxyKey', proxyKey as string, 1_000) };
  };
  return async <B>(proxied: ProxyRequest<B>, ...others: readonly never[]): Promise<ProxyResponse> => {
    onlyOne(others);
    const {
      url,
      proxyKey,
      body,
      method = body === undefined ? 'GET' : 'POST',
      path = '',
      query,
      headers,
      keepAlive,
      connection,
      ...options
    } = knownOptions('the request', proxied, PROXY_OPTIONS);
    if (!METHODS.includes(method)) throw new TypeError(`method must be ${METHODS.join(', ')}`);
    if (method === 'GET' && body !== undefined && !SENDS_BODY_OF_GET)
      throw new TypeError('A browser sends no GET with a body');
    const content = await requestBodyOf(body, options.signal);
    const response = await http.proxied({
      ...options,
      method,
      path: proxyPathOf(path),
      query: queryText(query),
      headers: mergedHeaders(
        content.type === undefined ? {} : { 'Content-Type': content.type },
        checkedHeaders(headers ?? {}),
        destinationOf({ url, proxyKey }),
        keepAlive === undefined ? {} : reserved('PROXY-KEEP-ALIVE', 'keepAlive', keepAlive),
        connection === undefined ? {} : reserved('PROXY-CONNECTION', 'connection', connection),
      ),
      body: content.body,
    });
    const text = () => new TextDecoder().decode(response.body);
    return { ...response, text, json: () => parseJson(text()) };
  };
}
