import { ApiError } from './api-error.ts';
import type { FieldErrors } from './errors.ts';
import type { TransportRequest, TransportResponse } from './exchange.ts';
import { send } from './transport.ts';

const TRIES = 4;
const FIRST_DELAY_MS = 200;
/** Longer than this the caller may rather decide itself. */
const LONGEST_DELAY_MS = 30_000;
const WORTH_ANOTHER_TRY: readonly number[] = [429, 502, 503, 504];

export interface ClientOptions {
  /** Where the service is, as `https://tokens.example.com`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Prefix of the reserved headers; `SVC` unless the operator chose another. */
  readonly headerPrefix?: string;
}

export interface CallOptions {
  /** Ends the call; the promise rejects. */
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends CallOptions {
  /** 1 to 400 characters. The first success under a key is what every repetition gets for 24 hours, so the call is retried safely. */
  readonly idempotencyKey?: string | undefined;
}

export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface Call extends WriteOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: unknown;
  /** A POST that changes nothing. */
  readonly isSafe?: boolean;
  readonly contentType?: string;
}

export interface RawCall extends CallOptions {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

export interface Caller {
  /** The JSON of a success, or `undefined` where it has none; throws `ApiError`. */
  json(call: Call): Promise<unknown>;
  /** The answer as it is, whatever its status. Never retried. */
  raw(call: RawCall): Promise<TransportResponse>;
  /** A failed answer as an error. */
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

function jsonOf({ body }: TransportResponse): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown;
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const textOr = <T>(value: unknown, otherwise: T): string | T =>
  typeof value === 'string' ? value : otherwise;

function abortable(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      const error = new Error('The operation was aborted');
      error.name = 'AbortError';
      reject(error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, delayMs);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

const seconds = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined;

/** Half of it certain, half of it random: clients that failed together do not come back together. */
const backoffMs = (tried: number): number => FIRST_DELAY_MS * 2 ** tried * (0.5 + Math.random() / 2);

export function createCaller({ baseUrl, apiKey, headerPrefix = 'SVC' }: ClientOptions): Caller {
  const base = baseUrl.replace(/\/+$/, '');
  const reserved = (name: string) => `${headerPrefix}-${name}`;

  const error = (response: TransportResponse): ApiError => {
    const body = jsonOf(response);
    const problem = isRecord(body) && isRecord(body['proxy_error']) ? body['proxy_error'] : body;
    const { title, detail, errors, message } = isRecord(problem) ? problem : {};
    return new ApiError({
      status: response.status,
      // API Gateway's own answers have a message alone.
      title: textOr(title, textOr(message, 'Error')),
      detail: textOr(detail, undefined),
      errors: isRecord(errors) ? (errors as FieldErrors) : undefined,
      traceId: response.headers[reserved('TRACE-ID').toLowerCase()],
      retryAfter: seconds(response.headers['retry-after']),
    });
  };

  const requestOf = (call: Call): TransportRequest => ({
    method: call.method,
    url: base + call.path + queryText(call.query),
    headers: {
      [reserved('API-KEY')]: apiKey,
      Accept: 'application/json',
      ...(call.body === undefined ? {} : { 'Content-Type': call.contentType ?? 'application/json' }),
      ...(call.idempotencyKey === undefined ? {} : { [reserved('IDEMPOTENCY-KEY')]: call.idempotencyKey }),
    },
    body: call.body === undefined ? undefined : JSON.stringify(call.body),
    signal: call.signal,
  });

  return {
    headerPrefix,
    error,
    raw: ({ path, headers, ...rest }) =>
      send({
        ...rest,
        url: base + path,
        headers: { ...headers, [reserved('API-KEY')]: apiKey },
        signal: rest.signal,
      }),
    json: async (call) => {
      const request = requestOf(call);
      const mayRepeat = call.method === 'GET' || call.isSafe === true || call.idempotencyKey !== undefined;
      for (let tried = 0; ; tried += 1) {
        const isLast = !mayRepeat || tried + 1 === TRIES;
        let response: TransportResponse;
        try {
          response = await send(request);
        } catch (failure) {
          if (isLast || call.signal?.aborted === true) throw failure;
          await abortable(backoffMs(tried), call.signal);
          continue;
        }
        if (response.status < 300) return jsonOf(response);
        const refused = error(response);
        const waitMs = refused.retryAfter === undefined ? backoffMs(tried) : refused.retryAfter * 1_000;
        if (isLast || !WORTH_ANOTHER_TRY.includes(response.status) || waitMs > LONGEST_DELAY_MS)
          throw refused;
        await abortable(waitMs, call.signal);
      }
    },
  };
}
