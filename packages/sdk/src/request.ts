import type { ApiPromise, WithResponse } from './api-promise.ts';
import type { Call, HttpClient } from './http-client.ts';

/** Sends a call whose response is a `T`. */
export function request<T>(http: HttpClient, call: Call): ApiPromise<T> {
  const exchange = http.send(call) as Promise<WithResponse<T>>;
  const data = exchange.then((answer) => answer.data);
  const withResponse = () => {
    // A failure reaches the caller by what is returned, and is not unhandled twice.
    data.catch(() => undefined);
    return exchange.then((answer) => answer);
  };
  return Object.assign(data, { withResponse });
}
