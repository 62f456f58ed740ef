import { abortable, onAbort, throwIfAborted, type Signal } from './abort.ts';
import { ApiError } from './api-error.ts';
import type { AttemptEvent, OnAttempt } from './attempt-event.ts';
import { ConnectionError, TimeoutError } from './connection-error.ts';
import { isRecord } from './is-record.ts';
import type { TransportResponse } from './transport-response.ts';
import type { Transport, TransportRequest } from './transport.ts';

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

/** A request with everything that decides how its attempts run. */
export interface Exchange<T> {
  readonly transport: Transport;
  readonly request: Omit<TransportRequest, 'signal'>;
  readonly signal: Signal | undefined;
  readonly timeoutMs: number;
  /** The result of a response; throws `ApiError` for a failed one. */
  readonly read: (response: TransportResponse) => T;
  /** The ms before the next attempt; `undefined` if there is none. */
  readonly pauseAfter: (failure: ApiError | ConnectionError) => number | undefined;
  readonly observe: OnAttempt;
  readonly route: string;
  readonly traceIdOf: (response: TransportResponse | undefined) => string | undefined;
}

/**
 * One attempt, which the call's signal or its timeout can end. Throws `ConnectionError`, or the
 * reason of the signal.
 */
async function attempt<T>({
  transport,
  request,
  signal,
  timeoutMs,
}: Exchange<T>): Promise<TransportResponse> {
  const ended = new AbortController();
  const end = () => ended.abort();
  const timer = setTimeout(end, timeoutMs);
  const release = onAbort(signal, end);
  try {
    return await transport({ ...request, signal: ended.signal });
  } catch (failure) {
    throwIfAborted(signal);
    if (ended.signal.aborted) throw new TimeoutError(timeoutMs);
    throw connectionErrorOf(failure, request.url);
  } finally {
    clearTimeout(timer);
    release();
  }
}

/** Limits what an event shows of a failure: another server than the service may send any `code`. */
function shown(failure: unknown): Pick<AttemptEvent, 'error' | 'code'> {
  if (failure === undefined) return { error: undefined, code: undefined };
  if (failure instanceof ApiError) {
    const { code } = failure;
    const isOfTheService = code !== undefined && /^[a-z_]{1,40}$/.test(code);
    return { error: 'ApiError', code: isOfTheService ? code : undefined };
  }
  if (failure instanceof TimeoutError) return { error: 'TimeoutError', code: undefined };
  if (failure instanceof ConnectionError) return { error: 'ConnectionError', code: failure.cause?.code };
  return { error: 'AbortError', code: undefined };
}

/** Attempts a request until `read` accepts a response, or until `pauseAfter` ends it. */
export async function exchanged<T>(exchange: Exchange<T>): Promise<T> {
  const { signal, read, pauseAfter, observe, route, traceIdOf } = exchange;
  for (let number = 1; ; number += 1) {
    throwIfAborted(signal);
    const startedAt = performance.now();
    let response: TransportResponse | undefined;
    const report = (failure: unknown, retryInMs?: number) =>
      observe({
        route,
        attempt: number,
        durationMs: Math.round(performance.now() - startedAt),
        status: response?.status,
        ...shown(failure),
        retryInMs,
        traceId: traceIdOf(response),
      });
    let pauseMs: number | undefined;
    try {
      response = await attempt(exchange);
      const result = read(response);
      report(undefined);
      return result;
    } catch (failure) {
      const mayRepeat = failure instanceof ApiError || failure instanceof ConnectionError;
      pauseMs = mayRepeat ? pauseAfter(failure) : undefined;
      report(failure, pauseMs === undefined ? undefined : Math.round(pauseMs));
      if (pauseMs === undefined) throw failure;
    }
    await abortable(pauseMs, signal);
  }
}
