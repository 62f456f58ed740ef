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

/** Codes of Node's sockets and resolver for a service that cannot be reached. */
const UNREACHABLE = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|UND_ERR)/;

function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0;
  const code: unknown = (error as { code?: unknown }).code;
  return THROTTLED.has(error.name) || status >= 500 || (typeof code === 'string' && UNREACHABLE.test(code));
}

/** Seconds that a caller is asked to wait when a dependency is down. */
const RETRY_AFTER_SECONDS = '2';

/**
 * A dependency that does not do what it is asked to at this moment: 503, and when to come again.
 */
export function unavailable(cause: unknown): ServiceError {
  return new ServiceError(
    'dependency_unavailable',
    'A service that this operation depends on is unavailable.',
    { cause, headers: { 'Retry-After': RETRY_AFTER_SECONDS } },
  );
}

/**
 * What an AWS call failed with, in the service's terms: `dependency_unavailable` (503) for what
 * passes by itself, the error as it is otherwise, since an AccessDenied or a validation error is
 * ours and must be loud in the log.
 */
export function dependencyError(error: unknown): unknown {
  return isTransient(error) ? unavailable(error) : error;
}

/** Runs an AWS call, translating its failure by {@link dependencyError}. */
export async function callDependency<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw dependencyError(error);
  }
}
