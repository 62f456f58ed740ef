import type { HttpClient, CallOptions } from './http-client.ts';
import { listOf, type List, type PageQuery } from './list.ts';
import type { LogRecord, OperationName, Outcome, TokenForm } from './resources.ts';

/** Records must match all filters. */
export interface LogQuery extends Omit<PageQuery, 'page'> {
  readonly token_id?: string;
  readonly application_id?: string;
  readonly proxy_id?: string;
  /** Such as `getToken`. */
  readonly operation?: OperationName;
  readonly outcome?: Outcome;
  /** How the request saw the token of `token_id` or, without it, any token. */
  readonly form?: TokenForm;
  /** ISO 8601; inclusive. */
  readonly from?: string;
  /** ISO 8601; exclusive. */
  readonly to?: string;
}

export function logsOf(http: HttpClient) {
  return {
    /**
     * Audit records, newest first: one page when awaited, all when iterated. A page may be empty
     * although others follow.
     * @example for await (const { operation, outcome } of client.logs.list({ token_id: id })) console.log(operation, outcome);
     */
    list: (query: LogQuery = {}, options?: CallOptions): List<LogRecord> =>
      listOf(http, '/logs', query, options),
  };
}
