import { parseJson } from '../../../src/core/shared/parse-json.ts';
import { abortable, throwIfAborted, type Signal } from './abort.ts';
import { ApiError } from './api-error.ts';
import { ConnectionError, TimeoutError } from './connection-error.ts';
import type { FieldErrors } from './errors.ts';
import { transportOver } from './fetch-transport.ts';
import type { Fetch } from './fetch.ts';
import { headerText, mergedHeaders } from './headers.ts';
import { addressOf } from './paths.ts';
import type { Transform } from './resources.ts';
import type { TransportResponse } from './transport-response.ts';
import type { Transport, TransportRequest } from './transport.ts';
import { send } from './platform.ts';
import { retryAfterSeconds, retrying } from './retry.ts';

const MAX_RETRIES = 3;
/** The service ends a request after half of this time. */
const TIMEOUT_MS = 60_000;
/** `setTimeout` fires immediately if its delay is longer. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
const KEY_MAX_LENGTH = 400;
const TRACE_ID_MAX_LENGTH = 200;

export interface ClientOptions {
  /** Has the form `https://tokens.example.com`. */
  readonly baseUrl: string;
  /** The key that an application or a session has. */
  readonly apiKey: string;
  /** Prefix of the reserved headers; `SVC` unless the operator chose another. */
  readonly headerPrefix?: string | undefined;
  /** The client retries a call at most so often, if it is retryable. Default: 3. 0 means never. */
  readonly maxRetries?: number | undefined;
  /** Timeout of each attempt, in ms, for the complete response; 60,000 by default. */
  readonly timeoutMs?: number | undefined;
  /**
   * Sends every request instead of the platform's own client, for example through a proxy or to a
   * service that exists only in a test. It must reject when `signal` is aborted.
   */
  readonly fetch?: Fetch | undefined;
}

export interface CallOptions {
  /**
   * Aborts the call, its waits between attempts included: the promise rejects with the signal's
   * reason.
   */
  readonly signal?: Signal | undefined;
  /** Overrides the client's. */
  readonly maxRetries?: number | undefined;
  /** Overrides the client's. */
  readonly timeoutMs?: number | undefined;
  /**
   * The id of the request in the service's logs, 1 to 200 visible ASCII characters; the service
   * generates one by default.
   */
  readonly traceId?: string | undefined;
}

export interface ViewOptions extends CallOptions {
  /** Shows no more than this of each token, whatever the caller's rules allow. */
  readonly transform?: Exclude<Transform, 'reveal'> | undefined;
}

export interface WriteOptions extends CallOptions {
  /**
   * 1 to 400 ASCII characters. Every repetition under a key gets the first success for 24 hours, so
   * the client retries the call safely.
   */
  readonly idempotencyKey?: string | undefined;
}

export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface Call extends WriteOptions, ViewOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: unknown;
  /** A read-only POST. */
  readonly isSafe?: boolean;
  readonly contentType?: string;
}

export interface RawCall extends CallOptions {
  readonly method: string;
  /** The path that the request must stay below. */
  readonly prefix: string;
  /** The rest of the path, which includes the query. */
  readonly rest: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

export interface HttpClient {
  /**
   * Returns the JSON of a success, or `undefined` without a body; throws `ApiError` and
   * `ConnectionError`.
   */
  json(call: Call): Promise<unknown>;
  /** Returns the response unchanged, whatever its status. Never retried. */
  raw(call: RawCall): Promise<TransportResponse>;
  /** Maps a failed response to its error. */
  error(response: TransportResponse): ApiError;
  readonly headerPrefix: string;
}

/** `{ id: ['a', 'b'], size: 2 }` as `?id=a&id=b&size=2`. */
export function queryText(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const values: readonly (string | number)[] = typeof value === 'object' ? value : [value];
    for (const one of values) parameters.append(name, String(one));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

const NO_JSON = Symbol('no JSON');

/** `undefined` for an empty body. */
function jsonOf({ body }: TransportResponse): unknown {
  if (body.length === 0) return undefined;
  try {
    return parseJson(new TextDecoder().decode(body));
  } catch {
    return NO_JSON;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const textOr = <T>(value: unknown, otherwise: T): string | T =>
  typeof value === 'string' ? value : otherwise;

/** A number of the options, or its default. Throws `RangeError`. */
function checked(name: string, value: number | undefined, otherwise: number, least: number): number {
  if (value === undefined) return otherwise;
  if (Number.isInteger(value) && value >= least && value <= LONGEST_TIMEOUT_MS) return value;
  throw new RangeError(`${name} must be a whole number from ${String(least)}`);
}

/** The base address, without query and fragment. Throws `TypeError`. */
function baseOf(baseUrl: string): string {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw new TypeError('baseUrl must be an address, as https://tokens.example.com');
  }
  const { protocol, username, password, search, hash, origin, pathname } = url;
  if (!/^https?:$/.test(protocol) || username + password + search + hash !== '')
    throw new TypeError('baseUrl must be http or https, without user, query and fragment');
  // `href` would preserve the question mark of an empty query.
  return origin + pathname.replace(/\/+$/, '');
}

/**
 * A failure's code, such as `ECONNREFUSED`: in the cause of `fetch`'s error, or in the first of
 * several. Nothing else: messages quote headers, and errors of parsers contain their input.
 */
function codeOf(failure: unknown, depth = 0): string | undefined {
  // No `instanceof`: errors of another realm have other classes.
  if (!isRecord(failure) || depth > 4) return undefined;
  const { code, cause, errors } = failure;
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code)) return code;
  return codeOf(cause, depth + 1) ?? codeOf(Array.isArray(errors) ? errors[0] : undefined, depth + 1);
}

function connectionErrorOf(failure: unknown, url: string): ConnectionError {
  if (failure instanceof ConnectionError) return failure;
  const message = `No complete response came from ${new URL(url).origin}`;
  const code = codeOf(failure);
  return code === undefined
    ? new ConnectionError(message)
    : new ConnectionError(`${message}: ${code}`, { code });
}

/**
 * One attempt, which the call's signal or its timeout can end. Throws `ConnectionError`, or the
 * reason of the signal.
 */
async function attempt(
  transport: Transport,
  request: Omit<TransportRequest, 'signal'>,
  signal: Signal | undefined,
  timeoutMs: number,
): Promise<TransportResponse> {
  throwIfAborted(signal);
  const ended = new AbortController();
  const end = () => ended.abort();
  const timer = setTimeout(end, timeoutMs);
  signal?.addEventListener('abort', end);
  try {
    return await transport({ ...request, signal: ended.signal });
  } catch (failure) {
    throwIfAborted(signal);
    if (ended.signal.aborted) throw new TimeoutError(timeoutMs);
    throw connectionErrorOf(failure, request.url);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

/** The error of a response; `reserved` adds the prefix to the name of a header. */
function errorOf(reserved: (name: string) => string, response: TransportResponse): ApiError {
  const body = jsonOf(response);
  const problem = isRecord(body) && isRecord(body['proxy_error']) ? body['proxy_error'] : body;
  const { title, code, detail, errors, message } = isRecord(problem) ? problem : {};
  return new ApiError({
    status: response.status,
    // Responses of API Gateway itself contain only a message.
    title: textOr(title, textOr(message, 'Error')),
    code: textOr(code, undefined),
    detail: textOr(detail, undefined),
    errors: isRecord(errors) ? (errors as FieldErrors) : undefined,
    traceId: response.headers[reserved('TRACE-ID').toLowerCase()],
    retryAfter: retryAfterSeconds(response.headers['retry-after'], Date.now()),
  });
}

/** A server that returns a page instead of JSON is not the service. */
function contentOf(reserved: (name: string) => string, response: TransportResponse): unknown {
  const body = jsonOf(response);
  if (body !== NO_JSON) return body;
  const title = 'Unexpected response';
  const detail = 'It is not JSON: is baseUrl the address of the service?';
  const { status, code, errors, traceId, retryAfter } = errorOf(reserved, response);
  throw new ApiError({ status, title, code, detail, errors, traceId, retryAfter });
}

export function createHttpClient(options: ClientOptions): HttpClient {
  const base = baseOf(options.baseUrl);
  const apiKey = headerText('apiKey', options.apiKey, 1_000);
  const headerPrefix = options.headerPrefix ?? 'SVC';
  // The service validates its own setting in the same way.
  if (!/^[A-Za-z][A-Za-z0-9]{0,19}$/.test(headerPrefix))
    throw new TypeError('headerPrefix must be 1 to 20 letters and digits, starting with a letter');
  if (!['undefined', 'function'].includes(typeof options.fetch))
    throw new TypeError('fetch must be a function');
  const transport = options.fetch === undefined ? send : transportOver(options.fetch);
  const reserved = (name: string) => `${headerPrefix}-${name}`;
  const retriesOf = ({ maxRetries }: CallOptions, otherwise: number) =>
    checked('maxRetries', maxRetries, otherwise, 0);
  const timeoutOf = ({ timeoutMs }: CallOptions, otherwise: number) =>
    checked('timeoutMs', timeoutMs, otherwise, 1);
  const own = { maxRetries: retriesOf(options, MAX_RETRIES), timeoutMs: timeoutOf(options, TIMEOUT_MS) };

  const ownHeaders = ({ idempotencyKey, traceId, transform }: WriteOptions & ViewOptions) => ({
    [reserved('API-KEY')]: apiKey,
    ...(idempotencyKey === undefined
      ? {}
      : { [reserved('IDEMPOTENCY-KEY')]: headerText('idempotencyKey', idempotencyKey, KEY_MAX_LENGTH) }),
    ...(transform === undefined ? {} : { [reserved('TRANSFORM')]: headerText('transform', transform, 20) }),
    ...(traceId === undefined
      ? {}
      : { [reserved('TRACE-ID')]: headerText('traceId', traceId, TRACE_ID_MAX_LENGTH) }),
  });

  const requestOf = (call: Call): Omit<TransportRequest, 'signal'> => ({
    method: call.method,
    url: addressOf(base, call.path, queryText(call.query)),
    headers: {
      ...ownHeaders(call),
      Accept: 'application/json',
      ...(call.body === undefined ? {} : { 'Content-Type': call.contentType ?? 'application/json' }),
    },
    body: call.body === undefined ? undefined : JSON.stringify(call.body),
  });

  return {
    headerPrefix,
    error: (response) => errorOf(reserved, response),
    raw: async (call) => {
      const { method, prefix, rest, body, signal } = call;
      const headers = mergedHeaders(call.headers, ownHeaders(call));
      const request = { method, url: addressOf(base, prefix, rest), headers, body };
      return attempt(transport, request, signal, timeoutOf(call, own.timeoutMs));
    },
    json: async (call) => {
      const request = requestOf(call);
      const timeoutMs = timeoutOf(call, own.timeoutMs);
      const isKeyed = call.idempotencyKey !== undefined;
      const mayRepeat = call.method === 'GET' || call.isSafe === true || isKeyed;
      const pauseAfter = retrying(mayRepeat ? retriesOf(call, own.maxRetries) : 0, isKeyed);
      for (;;) {
        let failure: ApiError | ConnectionError;
        try {
          const response = await attempt(transport, request, call.signal, timeoutMs);
          if (response.status >= 200 && response.status < 300) return contentOf(reserved, response);
          failure = errorOf(reserved, response);
        } catch (thrown) {
          if (!(thrown instanceof ConnectionError)) throw thrown;
          failure = thrown;
        }
        const pauseMs = pauseAfter(failure);
        if (pauseMs === undefined) throw failure;
        await abortable(pauseMs, call.signal);
      }
    },
  };
}
