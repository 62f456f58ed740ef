/** Each key is a path in the request, such as `{ 'card.number': ['must have 16 digits'] }`. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

export interface ReactorErrorOptions {
  readonly errors?: FieldErrors;
}

/**
 * A string becomes the `detail` for the caller, a map its `errors`, where a string means a list of
 * one. An `Error` becomes the cause: it may contain plaintext, so the response has nothing of it.
 */
export type ReactorErrorReason = string | Error | Readonly<Record<string, string | readonly string[]>>;

function messageOf(value: unknown): string {
  if (typeof value === 'string') return value;
  // `JSON.stringify` returns undefined for a function, although the library's types do not say so.
  return (JSON.stringify as (value: unknown) => string | undefined)(value) ?? typeof value;
}

/** The messages of a map, which JavaScript code may have filled with any values. */
function listed(reason: unknown): FieldErrors | undefined {
  if (typeof reason !== 'object' || reason === null || reason instanceof Error) return undefined;
  const map = Array.isArray(reason) ? { error: reason } : reason;
  const lists = Object.entries(map).map(([path, messages]: [string, unknown]) => [
    path,
    (Array.isArray(messages) ? messages : [messages]).map(messageOf),
  ]);
  return Object.fromEntries(lists) as FieldErrors;
}

/**
 * Reactor code throws it to choose the status of its response. The runtime recognises it by
 * `status` and `errors`, not by its class.
 */
class ReactorError extends Error {
  readonly status: number;
  readonly errors: FieldErrors | undefined;
  declare readonly cause?: Error;

  constructor(
    name: string,
    status: number,
    reason: ReactorErrorReason = '',
    { errors }: ReactorErrorOptions = {},
  ) {
    super(typeof reason === 'string' ? reason : '');
    this.name = name;
    this.status = status;
    this.errors = errors ?? listed(reason);
    if (reason instanceof Error)
      Object.defineProperty(this, 'cause', { value: reason, writable: true, configurable: true });
  }
}

/**
 * 400: the arguments are wrong.
 * @example throw new BadRequestError({ 'args.card': ['is required'] });
 */
export class BadRequestError extends ReactorError {
  constructor(reason?: ReactorErrorReason, options?: ReactorErrorOptions) {
    super('BadRequestError', 400, reason, options);
  }
}

/**
 * 400: the reactor's configuration lacks something.
 * @example throw new InvalidReactorConfigurationError('MERCHANT_ID is missing');
 */
export class InvalidReactorConfigurationError extends ReactorError {
  constructor(reason?: ReactorErrorReason, options?: ReactorErrorOptions) {
    super('InvalidReactorConfigurationError', 400, reason, options);
  }
}

/**
 * 401: the credentials for a third party are wrong.
 * @example throw new AuthenticationError('the processor refused the key');
 */
export class AuthenticationError extends ReactorError {
  constructor(reason?: ReactorErrorReason, options?: ReactorErrorOptions) {
    super('AuthenticationError', 401, reason, options);
  }
}

/**
 * 402: the payment method was declined.
 * @example throw new InvalidPaymentMethodError('declined', { errors: { card: ['insufficient funds'] } });
 */
export class InvalidPaymentMethodError extends ReactorError {
  constructor(reason?: ReactorErrorReason, options?: ReactorErrorOptions) {
    super('InvalidPaymentMethodError', 402, reason, options);
  }
}

/**
 * 403: a third party does not permit it.
 * @example throw new AuthorizationError('refunds are not enabled');
 */
export class AuthorizationError extends ReactorError {
  constructor(reason?: ReactorErrorReason, options?: ReactorErrorOptions) {
    super('AuthorizationError', 403, reason, options);
  }
}

/**
 * 429: a third party throttles.
 * @example throw new RateLimitError('try again later');
 */
export class RateLimitError extends ReactorError {
  constructor(reason?: ReactorErrorReason, options?: ReactorErrorOptions) {
    super('RateLimitError', 429, reason, options);
  }
}

/**
 * 500: the code itself failed.
 * @example throw new ReactorRuntimeError('unexpected response of the processor');
 */
export class ReactorRuntimeError extends ReactorError {
  constructor(reason?: ReactorErrorReason, options?: ReactorErrorOptions) {
    super('ReactorRuntimeError', 500, reason, options);
  }
}

/**
 * 503: a third party is not available.
 * @example throw new ServiceUnavailableError('the processor is in maintenance');
 */
export class ServiceUnavailableError extends ReactorError {
  constructor(reason?: ReactorErrorReason, options?: ReactorErrorOptions) {
    super('ServiceUnavailableError', 503, reason, options);
  }
}
