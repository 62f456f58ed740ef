import { ServiceError } from '../../core/shared/service-error.ts';

const THROTTLED = new Set([
  'ThrottlingException',
  'ThrottledException',
  'TooManyRequestsException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'LimitExceededException',
  'TransactionInProgressException',
  'DependencyTimeoutException',
  'KMSInternalException',
  'InternalServerError',
  'ServiceUnavailable',
  'TimeoutError',
  'AbortError',
]);

/** Error codes of Node's sockets and resolver for a service that cannot be reached. */
const UNREACHABLE = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|UND_ERR)/;

function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0;
  const code: unknown = (error as { code?: unknown }).code;
  return THROTTLED.has(error.name) || status >= 500 || (typeof code === 'string' && UNREACHABLE.test(code));
}

/** `Retry-After` in seconds when a dependency is down. */
const RETRY_AFTER_SECONDS = '2';

/** The error for a dependency that fails temporarily: 503 with `Retry-After`. */
export function unavailable(cause: unknown): ServiceError {
  return new ServiceError(
    'dependency_unavailable',
    'A service that this operation depends on is unavailable.',
    { cause, headers: { 'Retry-After': RETRY_AFTER_SECONDS } },
  );
}

/**
 * Maps a transient failure to `dependency_unavailable` (503). Other errors stay unchanged:
 * AccessDenied or a validation error is a fault of the service, and the log must show it as such.
 */
export function dependencyError(error: unknown): unknown {
  return isTransient(error) ? unavailable(error) : error;
}

/** Runs an AWS call and maps its failure with {@link dependencyError}. */
export async function callDependency<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw dependencyError(error);
  }
}
