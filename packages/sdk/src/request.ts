import type { ApiPromise, WithResponse } from './api-promise.ts';
import {
  type Call,
  type ConditionOptions,
  type HttpClient,
  type ViewOptions,
  type WriteOptions,
  optionsOf,
} from './http-client.ts';
import { knownOptions } from './known-options.ts';

/** Every method accepts these. */
export type Options = WriteOptions & ViewOptions & ConditionOptions;

/** The request that a method sends, without the options of its caller. */
export type Operation = Omit<Call, keyof Options>;

/** Throws `TypeError` for an unknown option, and for a body that is `undefined`. */
async function sent(http: HttpClient, operation: Operation, options: Options) {
  knownOptions('the options', options, optionsOf(operation));
  if ('body' in operation && operation.body === undefined)
    throw new TypeError(`${operation.method} ${operation.path} needs a body, which is undefined`);
  return http.send({ ...options, ...operation });
}

/** Sends a call whose response is a `T`. */
export function request<T>(http: HttpClient, operation: Operation, options?: Options | null): ApiPromise<T> {
  const exchange = sent(http, operation, options ?? {}) as Promise<WithResponse<T>>;
  const data = exchange.then((answer) => answer.data);
  const withResponse = () => {
    // A failure reaches the caller by what is returned, and is not unhandled twice.
    data.catch(() => undefined);
    return exchange.then((answer) => answer);
  };
  return Object.assign(data, { withResponse });
}
