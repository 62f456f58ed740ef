// The error classes that reactors in the field require (docs/lenient.md).
export {
  AuthenticationError,
  AuthorizationError,
  BadRequestError,
  InvalidPaymentMethodError,
  InvalidReactorConfigurationError,
  RateLimitError,
  ReactorRuntimeError,
  ServiceUnavailableError,
} from '../../packages/sdk/src/errors.ts';

interface CustomResponse {
  /** 100 to 599. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * A response that the author chose. Errors of the service have one shape: the caller gets `status`,
 * if code may choose it, and the JSON of `body` in `errors`.
 */
export class CustomHttpResponseError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly errors: { readonly body: readonly string[] } | undefined;

  constructor({ status, headers = {}, body }: CustomResponse) {
    super();
    if (!Number.isInteger(status) || status < 100 || status > 599)
      throw new Error('status is not a valid integer');
    this.name = 'CustomHttpResponseError';
    this.status = status;
    this.headers = headers;
    this.body = body ?? {};
    this.errors = body === undefined ? undefined : { body: [JSON.stringify(body)] };
  }

  toResponseBody(): Required<CustomResponse> {
    return { status: this.status, headers: this.headers, body: this.body };
  }
}
