import type { Caller, CallOptions } from './caller.ts';
import { listOf, type List, type PageQuery } from './list.ts';
import type { LogRecord, Outcome } from './resources.ts';

/** All that are given must match. */
export interface LogQuery extends Omit<PageQuery, 'page'> {
  readonly token_id?: string | undefined;
  readonly application_id?: string | undefined;
  /** As `getToken`. */
  readonly operation?: string | undefined;
  readonly outcome?: Outcome | undefined;
  /** ISO 8601; that instant or later. */
  readonly from?: string | undefined;
  /** ISO 8601; before that instant. */
  readonly to?: string | undefined;
}

export function logsOf(caller: Caller) {
  return {
    /**
     * Records of the audit trail, newest first: one page when awaited, all when iterated. A page
     * may be empty and go on.
     * @example for await (const { operation, outcome } of client.logs.list({ token_id: id })) console.log(operation, outcome);
     */
    list: (query: LogQuery = {}, options?: CallOptions): List<LogRecord> =>
      listOf(caller, '/logs', { ...query }, options),
  };
}
