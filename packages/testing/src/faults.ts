import { problemOf, PROBLEMS, type Problem } from '../../../src/wire/problem.ts';
import { ServiceError, type ServiceErrorCode } from '../../../src/core/shared/service-error.ts';
import { checkFailure } from './options.ts';
import type { Failure } from './vault.ts';
import { gatewayResponses } from '../../local-aws/src/gateway/gateway-responses.ts';

/** The gateway sends this for a failed call. */
export interface FailedCall {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Failures that an operation itself has, besides those of its input. */
const CODES: Readonly<Record<number, ServiceErrorCode>> = {
  408: 'destination_timeout',
  409: 'conflict',
  502: 'destination_unreachable',
  503: 'dependency_unavailable',
};

const DETAILS: Readonly<Partial<Record<ServiceErrorCode, string>>> = {
  destination_timeout: 'The destination did not respond in time.',
  destination_unreachable: 'The destination cannot be reached.',
  conflict: 'The resource was changed by another request.',
  dependency_unavailable: 'A service that this operation depends on is unavailable.',
};

function failureOf(status: number): unknown {
  const code = CODES[status];
  if (code === undefined) return new Error('it failed as vault.fail asked for');
  const headers = status === PROBLEMS.dependency_unavailable.status ? { 'Retry-After': '2' } : {};
  return new ServiceError(code, DETAILS[code] ?? '', { headers });
}

/** The response of a call that fails with a status, as the service and its gateway send it. */
export function failedCall(status: number, present: (problem: Problem) => unknown): FailedCall {
  if (status === gatewayResponses.throttled.status) return gatewayResponses.throttled;
  const { problem, headers } = problemOf(failureOf(status));
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(present(problem)),
  };
}

/** The failures that are still to come, by operation. */
export class Failures {
  readonly #operations: ReadonlySet<string>;
  readonly #coming = new Map<string, readonly number[]>();

  constructor(operations: readonly string[]) {
    this.#operations = new Set(operations);
  }

  /** Throws `TypeError` for an operation or a status that the service does not have. */
  add(failure: Failure): void {
    checkFailure(failure, this.#operations);
    const { operation, times = 1, status = 503 } = failure;
    const more = Array.from({ length: times }, () => status);
    this.#coming.set(operation, [...(this.#coming.get(operation) ?? []), ...more]);
  }

  /** The status with which this call of an operation fails, if it does. */
  take(operation: string): number | undefined {
    const [status, ...rest] = this.#coming.get(operation) ?? [];
    this.#coming.set(operation, rest);
    return status;
  }

  get coming(): ReadonlyMap<string, readonly number[]> {
    return new Map(this.#coming);
  }

  replaceComing(coming: ReadonlyMap<string, readonly number[]>): void {
    for (const [operation, statuses] of coming) this.#coming.set(operation, statuses);
  }
}
