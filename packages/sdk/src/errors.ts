/**
 * The request's path to what is wrong with it, as in `{ 'card.number': ['must have 16 digits'] }`.
 */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

export interface ReactorErrorOptions {
  readonly errors?: FieldErrors;
}

/**
 * What reactor code throws to choose the status of its answer. It is recognised by `status` and
 * `errors`, not by its class.
 */
class ReactorError extends Error {
  readonly status: number;
  readonly errors: FieldErrors | undefined;

  constructor(name: string, status: number, message = '', { errors }: ReactorErrorOptions = {}) {
    super(message);
    this.name = name;
    this.status = status;
    this.errors = errors;
  }
}

/**
 * 400: the arguments are wrong.
 * @example throw new BadRequestError('no card', { errors: { 'args.card': ['is required'] } });
 */
export class BadRequestError extends ReactorError {
  constructor(message?: string, options?: ReactorErrorOptions) {
    super('BadRequestError', 400, message, options);
  }
}

/**
 * 400: the reactor's configuration lacks something.
 * @example throw new InvalidReactorConfigurationError('MERCHANT_ID is missing');
 */
export class InvalidReactorConfigurationError extends ReactorError {
  constructor(message?: string, options?: ReactorErrorOptions) {
    super('InvalidReactorConfigurationError', 400, message, options);
  }
}

/**
 * 401: the credentials for a third party are wrong.
 * @example throw new AuthenticationError('the processor refused the key');
 */
export class AuthenticationError extends ReactorError {
  constructor(message?: string, options?: ReactorErrorOptions) {
    super('AuthenticationError', 401, message, options);
  }
}

/**
 * 402: the payment method was declined.
 * @example throw new InvalidPaymentMethodError('declined', { errors: { card: ['insufficient funds'] } });
 */
export class InvalidPaymentMethodError extends ReactorError {
  constructor(message?: string, options?: ReactorErrorOptions) {
    super('InvalidPaymentMethodError', 402, message, options);
  }
}

/**
 * 403: a third party does not permit it.
 * @example throw new AuthorizationError('refunds are not enabled');
 */
export class AuthorizationError extends ReactorError {
  constructor(message?: string, options?: ReactorErrorOptions) {
    super('AuthorizationError', 403, message, options);
  }
}

/**
 * 429: a third party throttles.
 * @example throw new RateLimitError('try again later');
 */
export class RateLimitError extends ReactorError {
  constructor(message?: string, options?: ReactorErrorOptions) {
    super('RateLimitError', 429, message, options);
  }
}

/**
 * 500: the code itself failed.
 * @example throw new ReactorRuntimeError('unexpected answer of the processor');
 */
export class ReactorRuntimeError extends ReactorError {
  constructor(message?: string, options?: ReactorErrorOptions) {
    super('ReactorRuntimeError', 500, message, options);
  }
}

/**
 * 503: a third party is not available.
 * @example throw new ServiceUnavailableError('the processor is in maintenance');
 */
export class ServiceUnavailableError extends ReactorError {
  constructor(message?: string, options?: ReactorErrorOptions) {
    super('ServiceUnavailableError', 503, message, options);
  }
}
