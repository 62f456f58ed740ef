/**
 * All kinds of failures of an operation, by the service's own names. `src/wire/problem.ts` maps
 * each to its status once; a code without a status does not compile.
 */
export type ServiceErrorCode =
  | 'validation_failed'
  | 'configuration_required'
  | 'transform_failed_unsent'
  | 'unauthenticated'
  | 'key_expired'
  | 'forbidden'
  | 'address_not_allowed'
  | 'not_found'
  | 'method_not_allowed'
  | 'destination_timeout'
  | 'conflict'
  | 'last_manager'
  | 'external_id_taken'
  | 'limit_reached'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'payment_required'
  | 'too_many_requests'
  | 'key_reused'
  | 'reactor_not_loaded'
  | 'reactor_failed'
  | 'destination_unreachable'
  | 'transform_failed'
  | 'dependency_unavailable';

/**
 * Messages by the path of the request member that they are about, in the request's spelling:
 * `data.number`, `rules[0].priority`.
 */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

interface ServiceErrorOptions {
  /** Messages by request path, which become `errors` of the response. */
  readonly errors?: FieldErrors;
  /** The cause, which only the log shows. A caller never sees it, and it never contains data. */
  readonly cause?: unknown;
  /** Headers that the response then has (`Allow`, `Retry-After`). */
  readonly headers?: Readonly<Record<string, string>>;
  /** The status that a destination returned before the failure: it has done its work. */
  readonly destinationStatus?: number | undefined;
}

/**
 * The error class of the service. The caller may read `message` and `errors`; only the log may
 * read `cause`. None of them may contain token data, a key, or another tenant's identifiers.
 */
export class ServiceError extends Error {
  readonly code: ServiceErrorCode;
  readonly errors: FieldErrors | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly destinationStatus: number | undefined;

  constructor(code: ServiceErrorCode, detail: string, options: ServiceErrorOptions = {}) {
    super(detail, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
    this.destinationStatus = options.destinationStatus;
  }
}

export function invalid(path: string, message: string): ServiceError {
  return new ServiceError('validation_failed', 'One or more validation errors occurred.', {
    errors: { [path]: [message] },
  });
}

export function invalidMembers(errors: FieldErrors): ServiceError {
  return new ServiceError('validation_failed', 'One or more validation errors occurred.', { errors });
}
