// What reactors in the field require for their errors (docs/lenient.md).
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
 * An answer of the author's own making. Errors of the service have one shape: the caller gets
 * `status`, if that is one of those that code may choose, and the JSON of `body` in the `errors`.
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
