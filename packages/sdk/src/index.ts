export type { Signal } from './abort.ts';
export { ApiError } from './api-error.ts';
export type { ApiPromise, ApiResponse, WithResponse } from './api-promise.ts';
export type { ApplicationQuery } from './applications.ts';
export type { AttemptEvent, OnAttempt } from './attempt-event.ts';
export type {
  CallOptions,
  ChangeOptions,
  ClientOptions,
  ConditionOptions,
  ViewOptions,
  WriteOptions,
} from './http-client.ts';
export type { Fetch, FetchRequest, FetchResponse } from './fetch.ts';
export type * from './generics.ts';
export { cardBrand, type CardBrand } from './card-brands.ts';
export { ConnectionError, TimeoutError } from './connection-error.ts';
export { createClient, type Client } from './create-client.ts';
export type { DeliveryQuery } from './deliveries.ts';
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
  type ReactorErrorReason,
} from './errors.ts';
export type { ForceOption } from './keys.ts';
export type { AsJson, Json } from './json.ts';
export type { List, Page, PageQuery, Pagination } from './list.ts';
export type { LogQuery } from './logs.ts';
export type { StoredProxyQuery } from './proxies.ts';
export type { ProxyDestination, ProxyRequest, ProxyResponse } from './proxy.ts';
export type { Query } from './query.ts';
export type { ReactorQuery } from './reactors.ts';
export type { PlatformBody } from './request-body.ts';
export type * from './resources.ts';
export { tokenIdOf } from './token-id-of.ts';
export type { SearchQuery, TokenQuery } from './tokens.ts';
export {
  verifyWebhook,
  WebhookVerificationError,
  type WebhookHeaders,
  type WebhookToVerify,
} from './verify-webhook.ts';
