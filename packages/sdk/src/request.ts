import type { ApiPromise, WithResponse } from './api-promise.ts';
import type { Call, HttpClient } from './http-client.ts';

/** Sends a call whose response is a `T`. */
export function request<T>(http: HttpClient, call: Call): ApiPromise<T> {
  const exchange = http.send(call) as Promise<WithResponse<T>>;
  const data = exchange.then((answer) => answer.data);
  const withResponse = () => {
    // A failure reaches the caller by `exchange`, and is not unhandled as well.
    data.catch(() => undefined);
    return exchange;
  };
  return Object.assign(data, { withResponse });
}
