import { throwIfAborted, type Signal } from './abort.ts';
import type { WithResponse } from './api-promise.ts';
import { observerOf, type OnAttempt } from './attempt-event.ts';
import { exchanged } from './exchange.ts';
import { transportOver } from './fetch-transport.ts';
import type { Fetch } from './fetch.ts';
import { headerText, mergedHeaders } from './headers.ts';
import { jsonText } from './json-text.ts';
import { knownOptions, type Names } from './known-options.ts';
import { addressOf, pathOf } from './paths.ts';
import { send, settingOf } from './platform.ts';
import { parametersOf, queryText, type Filters, type Query } from './query.ts';
import { contentOf, errorOf } from './read-response.ts';
import type { Transform } from './resources.ts';
import { retrying } from './retry.ts';
import type { TransportResponse } from './transport-response.ts';
import type { TransportRequest } from './transport.ts';

const MAX_RETRIES = 3;
/** The service ends a request after half of this time. */
const TIMEOUT_MS = 60_000;
/** `setTimeout` fires immediately if its delay is longer. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
const KEY_MAX_LENGTH = 400;
const TRACE_ID_MAX_LENGTH = 200;
const TAG_MAX_LENGTH = 200;
const PROXY = '/proxy';
/** The status of a success that a stored proxy could not show. */
const NOT_SHOWN = 424;

export interface ClientOptions {
  /**
   * Has the form `https://tokens.example.com`. Default in Node: the environment variable
   * `CLOAKROOM_URL`.
   */
  readonly baseUrl?: string | undefined;
  /**
   * The key that an application or a session has. Default in Node: the environment variable
   * `CLOAKROOM_API_KEY`.
   */
  readonly apiKey?: string | undefined;
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
  /**
   * Called once for each attempt of a call, for logs and metrics: an event has no values. Its
   * failure does not reach the call; the client prints the first one to the console.
   */
  readonly onAttempt?: OnAttempt | undefined;
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

/** Methods that change one resource take this option. */
export interface ConditionOptions {
  /**
   * The header `etag` of the response that showed the state which the change is for. For a
   * resource in another state the response is 412 `precondition_failed`. `*` is any state.
   */
  readonly ifMatch?: string | undefined;
}

/** The options of a method that changes one resource. */
export type ChangeOptions = WriteOptions & ConditionOptions;

export interface Call extends WriteOptions, ViewOptions, ConditionOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Has the form `/tokens/{id}`, as the route. */
  readonly path: string;
  /** Replace the parameters of `path`, in their order. */
  readonly ids?: readonly string[];
  /** Filters that a list has. */
  readonly query?: Filters;
  readonly body?: unknown;
  /** A read-only POST. */
  readonly isSafe?: boolean;
  /** A POST for which the service stores no response under an idempotency key. */
  readonly isUnkeyed?: boolean;
  readonly contentType?: string;
  /** A change of one resource, which takes `ifMatch`. */
  readonly takesCondition?: boolean;
}

export interface ProxiedCall extends CallOptions {
  readonly method: string;
  /** Follows `/proxy`; begins with a slash, unless it is empty. */
  readonly path: string;
  /** Begins with `?`, unless it is empty. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

export interface HttpClient {
  /**
   * Returns the JSON of a success, or `undefined` without a body, and an empty page without a
   * request if no item can match the query; throws `ApiError`, `ConnectionError`, and `TypeError`
   * for a query or a body that cannot be sent as it is.
   */
  send(call: Call): Promise<WithResponse<unknown>>;
  /**
   * Returns the destination's response with its status, whatever that is. Never retried. Throws
   * `ApiError` if the proxy itself failed.
   */
  proxied(call: ProxiedCall): Promise<TransportResponse>;
  readonly headerPrefix: string;
}

const CALL_OPTIONS = { signal: 1, timeoutMs: 1, traceId: 1, maxRetries: 1 } satisfies Names<CallOptions>;

/** The options that a call has; the others would silently have no effect. */
export const optionsOf = ({
  method,
  isSafe,
  isUnkeyed,
  takesCondition,
}: Pick<Call, 'method' | 'isSafe' | 'isUnkeyed' | 'takesCondition'>) => ({
  ...CALL_OPTIONS,
  ...(takesCondition === true ? ({ ifMatch: 1 } satisfies Names<ConditionOptions>) : {}),
  ...(method === 'DELETE' ? {} : ({ transform: 1 } satisfies Partial<Names<ViewOptions>>)),
  ...(method === 'GET' || method === 'DELETE' || isSafe === true || isUnkeyed === true
    ? {}
    : ({ idempotencyKey: 1 } satisfies Partial<Names<WriteOptions>>)),
});

const CLIENT_OPTIONS = {
  baseUrl: 1,
  apiKey: 1,
  headerPrefix: 1,
  maxRetries: 1,
  timeoutMs: 1,
  fetch: 1,
  onAttempt: 1,
} satisfies Names<ClientOptions>;

/** A number of the options, or its default. Throws `RangeError`. */
function checked(name: string, value: number | undefined, otherwise: number, least: number): number {
  if (value === undefined) return otherwise;
  if (Number.isInteger(value) && value >= least && value <= LONGEST_TIMEOUT_MS) return value;
  throw new RangeError(
    `${name} must be a whole number from ${String(least)} to ${String(LONGEST_TIMEOUT_MS)}`,
  );
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

/** The page of a list that no item can match: no request is necessary. */
const EMPTY: WithResponse<unknown> = {
  data: {
    data: [],
    pagination: { total_items: 0, page_number: 1, page_size: 20, total_pages: 0, after: null },
  },
  response: { status: 200, headers: {} },
};

const retriesOf = ({ maxRetries }: CallOptions, otherwise: number): number =>
  checked('maxRetries', maxRetries, otherwise, 0);
const timeoutOf = ({ timeoutMs }: CallOptions, otherwise: number): number =>
  checked('timeoutMs', timeoutMs, otherwise, 1);

/** Throws `TypeError` and `RangeError`. */
function settingsOf(options: ClientOptions) {
  const { headerPrefix = 'SVC', fetch, onAttempt } = knownOptions('the options', options, CLIENT_OPTIONS);
  // The service validates its own setting in the same way.
  if (typeof headerPrefix !== 'string' || !/^[A-Za-z][A-Za-z0-9]{0,19}$/.test(headerPrefix))
    throw new TypeError('headerPrefix must be 1 to 20 letters and digits, starting with a letter');
  for (const [name, value] of Object.entries({ fetch, onAttempt }))
    if (value !== undefined && typeof value !== 'function') throw new TypeError(`${name} must be a function`);
  return {
    base: baseOf(options.baseUrl === undefined ? settingOf('baseUrl') : options.baseUrl),
    apiKey: headerText('apiKey', options.apiKey === undefined ? settingOf('apiKey') : options.apiKey, 1_000),
    headerPrefix,
    maxRetries: retriesOf(options, MAX_RETRIES),
    timeoutMs: timeoutOf(options, TIMEOUT_MS),
    transport: fetch === undefined ? send : transportOver(fetch),
    observe: observerOf(onAttempt),
  };
}

/** A trace id as the service generates it: another server may send any text. */
const serviceTraceId = (text: string | undefined): string | undefined =>
  text !== undefined && /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(text) ? text : undefined;

export function createHttpClient(options: ClientOptions): HttpClient {
  const { base, apiKey, headerPrefix, maxRetries, timeoutMs, transport, observe } = settingsOf(options);
  const reserved = (name: string) => `${headerPrefix}-${name}`;
  const traceHeader = reserved('TRACE-ID').toLowerCase();
  const statusHeader = reserved('PROXY-DESTINATION-STATUS').toLowerCase();

  const ownHeaders = ({ idempotencyKey, traceId, transform, ifMatch }: ChangeOptions & ViewOptions) => ({
    ...(ifMatch === undefined ? {} : { 'If-Match': headerText('ifMatch', ifMatch, TAG_MAX_LENGTH) }),
    [reserved('API-KEY')]: apiKey,
    ...(idempotencyKey === undefined
      ? {}
      : { [reserved('IDEMPOTENCY-KEY')]: headerText('idempotencyKey', idempotencyKey, KEY_MAX_LENGTH) }),
    ...(transform === undefined ? {} : { [reserved('TRANSFORM')]: headerText('transform', transform, 20) }),
    ...(traceId === undefined
      ? {}
      : { [reserved('TRACE-ID')]: headerText('traceId', traceId, TRACE_ID_MAX_LENGTH) }),
  });

  const requestOf = (call: Call, query: Query): Omit<TransportRequest, 'signal'> => ({
    method: call.method,
    url: addressOf(base, pathOf(call.path, call.ids), queryText(query)),
    headers: {
      ...ownHeaders(call),
      Accept: 'application/json',
      ...(call.body === undefined ? {} : { 'Content-Type': call.contentType ?? 'application/json' }),
    },
    body: call.body === undefined ? undefined : jsonText(call.body),
  });

  const attemptsOf = (call: CallOptions & Pick<Call, 'path'> & { readonly method: string }) => ({
    transport,
    observe,
    route: `${call.method} ${call.path}`,
    signal: call.signal,
    timeoutMs: timeoutOf(call, timeoutMs),
    traceIdOf: (response: TransportResponse | undefined) =>
      call.traceId ?? serviceTraceId(response?.headers[traceHeader]),
  });

  return {
    headerPrefix,
    proxied: async (call) => {
      const { method, path, query, body } = call;
      const headers = mergedHeaders(call.headers, ownHeaders(call));
      return exchanged({
        ...attemptsOf({ ...call, path: path === '' ? PROXY : `${PROXY}/{suffix+}` }),
        request: { method, url: addressOf(base, PROXY, path + query), headers, body },
        pauseAfter: () => undefined,
        read: (response) => {
          const status = response.headers[statusHeader];
          const isNotShown = response.status === NOT_SHOWN && status !== String(NOT_SHOWN);
          if (status === undefined || isNotShown) throw errorOf(traceHeader, response);
          return { ...response, status: Number(status) };
        },
      });
    },
    send: async (call) => {
      const query = parametersOf(call.query ?? {});
      const isKeyed = call.idempotencyKey !== undefined;
      const mayRepeat = call.method === 'GET' || call.isSafe === true || isKeyed;
      const attempts = attemptsOf(call);
      const retries = retriesOf(call, maxRetries);
      throwIfAborted(call.signal);
      if (query === undefined) return EMPTY;
      return exchanged({
        ...attempts,
        request: requestOf(call, query),
        pauseAfter: retrying(mayRepeat ? retries : 0, isKeyed),
        read: (response) => contentOf(traceHeader, response),
      });
    },
  };
}
