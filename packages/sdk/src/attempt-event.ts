/** One attempt of a call, without values: no ids, keys, headers, queries and bodies. */
export interface AttemptEvent {
  /** Method and path of the operation (docs/sdk.md), such as `GET /tokens/{id}`. */
  readonly route: string;
  /** 1 for the first attempt of a call. */
  readonly attempt: number;
  /** Until the whole response arrived, or until the attempt failed. */
  readonly durationMs: number;
  /** `undefined` without a response. */
  readonly status: number | undefined;
  /** The error that the attempt ended with; `undefined` for a success. */
  readonly error: 'ApiError' | 'ConnectionError' | 'TimeoutError' | 'AbortError' | undefined;
  /** The code of the service (`not_found`) or of the platform (`ECONNREFUSED`), if there is one. */
  readonly code: string | undefined;
  /** The time until the next attempt; `undefined` if there is none. */
  readonly retryInMs: number | undefined;
  /** The id that the request has in the service's logs: yours, or the one of the response. */
  readonly traceId: string | undefined;
}

export type OnAttempt = (event: AttemptEvent) => void;

/**
 * Calls `onAttempt` so that its failure does not reach the call. The first failure, also of a
 * promise, is printed to the console.
 */
export function observerOf(onAttempt: OnAttempt | undefined): OnAttempt {
  if (onAttempt === undefined) return () => undefined;
  // An async function returns a promise, although its type here does not say so.
  const observe: (event: AttemptEvent) => unknown = onAttempt;
  let hasFailed = false;
  return (event) => {
    const observed = new Promise<unknown>((resolve) => resolve(observe(event)));
    observed.catch((error: unknown) => {
      if (!hasFailed) console.error('onAttempt of the Cloakroom client failed:', error);
      hasFailed = true;
    });
  };
}
