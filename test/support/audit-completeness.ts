// The records that the audit trail must have of completed requests: one for each, durable before
// the response, that names every token in it. Compared afterwards, over GET /logs.
import { send, type ApiResponse, type Body, type CallOptions } from './http-client.ts';

/** A completed request, with the properties that its record must have. */
export interface Answered {
  readonly operation: string;
  readonly key: string;
  readonly trace: string;
  readonly status: number;
  /** Tokens that the response shows, or that were filled into a forwarded request. */
  readonly ids: readonly string[];
}

/** Ids of the tokens in a response: objects with a type of token. */
function tokensIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(tokensIn);
  const { id, type, ...rest } = value as Readonly<Record<string, unknown>>;
  const own = typeof id === 'string' && type === 'token' ? [id] : [];
  return [...own, ...Object.values(rest).flatMap(tokensIn)];
}

const EXPRESSION = /\{\{ ([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/g;

export function answeredOf(
  operation: string,
  key: string,
  { status, body, headers }: ApiResponse,
  options: CallOptions,
): Answered {
  const filledIn = [...JSON.stringify(options).matchAll(EXPRESSION)].map(([, id = '']) => id);
  return {
    operation,
    key,
    trace: headers.get('svc-trace-id') ?? '',
    status,
    ids: status < 300 ? [...new Set([...tokensIn(body), ...filledIn])] : [],
  };
}

/** The whole trail of a tenant, newest first. */
export async function wholeTrail(baseUrl: string, managementKey: string): Promise<Body[]> {
  const all: Body[] = [];
  let after = '';
  do {
    const cursor = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
    const { status, body } = await send(baseUrl, managementKey, 'GET', `/logs?size=100${cursor}`);
    if (status !== 200) throw new Error(`logs: ${String(status)} ${JSON.stringify(body)}`);
    all.push(...(body.data as Body[]));
    after = body.pagination.after ?? '';
  } while (after !== '');
  return all;
}

/**
 * Reports, in sentences, responses to a known caller without a record, and tokens in responses that
 * their records do not name. A 503 may have none: it has shown nothing, and done nothing.
 */
export function missingRecords(trail: readonly Body[], answered: readonly Answered[]): string[] {
  const byTrace = Map.groupBy(trail, (record) => record.trace_id as string);
  return answered.flatMap(({ operation, trace, status, ids }) => {
    if (status >= 500 || status === 401 || trace === '') return [];
    const records = byTrace.get(trace);
    if (records === undefined) return [`${operation} answered ${String(status)} without a record`];
    const named = new Set(
      records.flatMap((record) => ((record.tokens ?? []) as readonly Body[]).map(({ id }) => id as string)),
    );
    return ids.filter((id) => !named.has(id)).map((id) => `${operation}: no record names ${id}`);
  });
}

/** Returns the existing tokens whose creation has no record. */
export function uncreated(trail: readonly Body[], ids: readonly string[]): string[] {
  const created = new Set(
    trail.flatMap((record) =>
      ((record.tokens ?? []) as readonly Body[])
        .filter(({ form }) => form === 'create')
        .map(({ id }) => id as string),
    ),
  );
  return ids.filter((id) => !created.has(id)).map((id) => `no record says that ${id} was created`);
}
