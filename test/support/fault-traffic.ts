import { send, type ApiResponse, type CallOptions } from './http-client.ts';

export interface Findings {
  /** Number of responses by operation and status. */
  readonly counts: Map<string, number>;
  /** Violations, in sentences. */
  readonly problems: string[];
}

export const noFindings = (): Findings => ({ counts: new Map(), problems: [] });

/** 503 and 429 with `Retry-After`, and 409, in the error shape. */
export function isClearFailure({ status, headers, body }: ApiResponse): boolean {
  const problem = body?.proxy_error ?? body;
  return (
    typeof problem?.title === 'string' &&
    problem.status === status &&
    (status === 409 || ([503, 429].includes(status) && Number(headers.get('retry-after')) > 0))
  );
}

/**
 * A request whose response must be one of `good`, or a clear failure. Resolves to undefined for a
 * failure.
 */
export type Ask = (
  operation: string,
  good: readonly number[],
  key: string,
  method: string,
  path: string,
  options?: CallOptions,
) => Promise<ApiResponse | undefined>;

export const asking =
  (baseUrl: string, { counts, problems }: Findings): Ask =>
  async (operation, good, key, method, path, options = {}) => {
    const response = await send(baseUrl, key, method, path, options);
    const { status, body } = response;
    const counted = `${operation} ${String(status)}`;
    counts.set(counted, (counts.get(counted) ?? 0) + 1);
    if (good.includes(status)) return response;
    if (!isClearFailure(response))
      problems.push(`${operation} ${method} ${path} answered ${String(status)} ${JSON.stringify(body)}`);
    return undefined;
  };
