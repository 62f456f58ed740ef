export { ApiError } from './api-error.ts';
export type { CallOptions, ClientOptions, WriteOptions } from './caller.ts';
export { createClient, type Client } from './create-client.ts';
export {
  AuthenticationError,
  AuthorizationError,
  BadRequestError,
  InvalidPaymentMethodError,
  InvalidReactorConfigurationError,
  RateLimitError,
  ReactorRuntimeError,
  ServiceUnavailableError,
  type FieldErrors,
} from './errors.ts';
export type { List, Page, Pagination } from './list.ts';
export type { ProxyRequest, ProxyResponse } from './proxy.ts';
export type * from './resources.ts';
