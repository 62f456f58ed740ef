import { OUTCOMES, type Outcome } from '../../src/core/audit/audit-record.ts';
import { OPERATION_NAMES } from '../../src/core/audit/operation-names.ts';
import { notOneOf } from '../../src/core/shared/known-names.ts';
import { defined } from '../../src/core/shared/defined.ts';
import { invalid } from '../../src/core/shared/service-error.ts';
import { parseIsoTimestamp } from '../../src/core/shared/timestamp.ts';
import { pageRequest, queryOf } from '../../src/http/page-query.ts';

/** Names of the query parameters of "list logs". */
const PARAMETERS = [
  'token_id',
  'application_id',
  'operation',
  'outcome',
  'from',
  'to',
  'size',
  'after',
] as const;

function timeOf(query: URLSearchParams, name: 'from' | 'to'): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  // A `+` in an unencoded offset has become a space.
  const parsed = parseIsoTimestamp(text.replace(/ (?=\d\d:?\d\d$)/, '+'));
  if (parsed === undefined) throw invalid(name, 'must be an ISO 8601 date or time');
  return parsed.at;
}

function textOf(query: URLSearchParams, name: 'token_id' | 'application_id'): string | undefined {
  const text = query.get(name) ?? undefined;
  if (text === '') throw invalid(name, 'must not be empty');
  return text;
}

function operationOf(query: URLSearchParams): string | undefined {
  const text = query.get('operation');
  if (text === null) return undefined;
  // A name with a typing error would look as if nothing had happened.
  const operation = OPERATION_NAMES.find((each) => each === text);
  if (operation === undefined) throw invalid('operation', notOneOf(text, OPERATION_NAMES));
  return operation;
}

function outcomeOf(query: URLSearchParams): Outcome | undefined {
  const text = query.get('outcome');
  if (text === null) return undefined;
  const outcome = OUTCOMES.find((each) => each === text);
  if (outcome === undefined) throw invalid('outcome', notOneOf(text, OUTCOMES));
  return outcome;
}

/** Query of "list logs" (docs/contract.md#audit-trail). */
export const listLogsQuery = queryOf({ once: PARAMETERS }, (query) => {
  const input = (name: string) => query.get(name) ?? undefined;
  const page = pageRequest({ size: input('size'), after: input('after') });
  const [from, to] = [timeOf(query, 'from'), timeOf(query, 'to')];
  if (from !== undefined && to !== undefined && from >= to) throw invalid('to', 'must be after from');
  return {
    filters: defined({
      tokenId: textOf(query, 'token_id'),
      applicationId: textOf(query, 'application_id'),
      operation: operationOf(query),
      outcome: outcomeOf(query),
      from,
      to,
    }),
    page: { size: page.size, cursor: page.kind === 'after' ? page.cursor : undefined },
  };
});
