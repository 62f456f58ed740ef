import * as z from 'zod/mini';
import { FORMS, OUTCOMES, timeOfPosition, type Form } from '../core/audit/audit-record.ts';
import type { AuditView } from '../core/trail/list-records.ts';
import { OPERATION_NAMES } from '../core/audit/operation-names.ts';
import { defined, type Undefinable } from '../core/shared/defined.ts';
import { notOneOf } from '../core/shared/known-names.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import { invalid } from '../core/shared/service-error.ts';
import { formatTimestamp, parseIsoTimestamp } from '../core/shared/timestamp.ts';
import { permissionName } from './application.ts';
import { pageParameters, pageRequest, queryOf } from './page.ts';
import { described, time, type Response } from './parts.ts';

const PARAMETERS = [
  'token_id',
  'application_id',
  'proxy_id',
  'operation',
  'outcome',
  'form',
  'from',
  'to',
  'size',
  'after',
] as const;

function timeOf(query: URLSearchParams, name: 'from' | 'to'): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  // A client that does not encode the `+` of an offset sends a space.
  const parsed = parseIsoTimestamp(text.replace(/ (?=\d\d:?\d\d$)/, '+'));
  if (parsed === undefined) throw invalid(name, 'must be an ISO 8601 date or time');
  return parsed.at;
}

function textOf(
  query: URLSearchParams,
  name: 'token_id' | 'application_id' | 'proxy_id',
): string | undefined {
  const text = query.get(name) ?? undefined;
  if (text === '') throw invalid(name, 'must not be empty');
  return text;
}

/** A value is an error if it is unknown: otherwise it would look as if nothing had happened. */
function oneOf<Name extends string>(
  query: URLSearchParams,
  parameter: 'operation' | 'outcome' | 'form',
  names: readonly Name[],
): Name | undefined {
  const text = query.get(parameter);
  if (text === null) return undefined;
  const name = names.find((each) => each === text);
  if (name === undefined) throw invalid(parameter, notOneOf(text, names));
  return name;
}

/** Query of "list logs" (docs/contract.md#audit-trail). */
export const listLogsQuery = /* @__PURE__ */ queryOf({ once: PARAMETERS }, (query) => {
  const input = (name: string) => query.get(name) ?? undefined;
  const page = pageRequest({ size: input('size'), after: input('after') });
  const from = timeOf(query, 'from');
  const to = timeOf(query, 'to');
  if (from !== undefined && to !== undefined && from >= to) throw invalid('to', 'must be after from');
  return {
    filters: defined({
      tokenId: textOf(query, 'token_id'),
      applicationId: textOf(query, 'application_id'),
      proxyId: textOf(query, 'proxy_id'),
      operation: oneOf(query, 'operation', OPERATION_NAMES),
      outcome: oneOf(query, 'outcome', OUTCOMES),
      form: oneOf(query, 'form', FORMS),
      from,
      to,
    }),
    page: { size: page.size, cursor: page.kind === 'after' ? page.cursor : undefined },
  };
});

const outcome = () =>
  z.enum(OUTCOMES).check(
    z.meta({
      id: 'Outcome',
      description: 'How the request ended; `begun` was written ahead of an effect.',
    }),
  );

/** How a request saw a token, as records and the query name it. */
const form = () => z.enum(FORMS).check(z.meta({ id: 'TokenForm' }));

/** A record can be of an operation of this document, background work, or a command. */
const operationName = () => z.enum(OPERATION_NAMES).check(z.meta({ id: 'OperationName' }));

/** The query of "list logs", as the OpenAPI document describes it. */
export const listLogsParameters = () => {
  const words = (description: string) => described(z.optional(z.string().check(z.minLength(1))), description);
  const { size, after } = pageParameters();
  return z.object({
    token_id: words('Only records that name this token, in whatever form.'),
    application_id: words('Only requests of this application.'),
    proxy_id: words('Only calls through this stored proxy.'),
    operation: described(
      z.optional(operationName()),
      'Only this operation, such as `getToken`; `proxy` for all of the proxy.',
    ),
    outcome: described(z.optional(z.enum(OUTCOMES)), 'Only records with this outcome.'),
    form: described(
      z.optional(form()),
      'Only records that name the token of `token_id`, or any token without it, in this form.',
    ),
    from: described(z.optional(z.string()), 'ISO 8601; only records from this time on.'),
    to: described(z.optional(z.string()), 'ISO 8601, after `from`; only records before this time.'),
    size,
    after,
  });
};

const change = () =>
  z.object({
    members: z.array(z.string()),
    granted: z.optional(z.array(permissionName())),
    withdrawn: z.optional(z.array(permissionName())),
    bundle: z.optional(z.string()),
  });

/** A record as "list logs" returns it (docs/contract.md#audit-trail). */
export const logRecord = /* @__PURE__ */ madeOnce(() =>
  z
    .object({
      id: z.string(),
      created_at: time(),
      operation: described(z.string(), 'By its name in this document, or the name of background work.'),
      outcome: outcome(),
      status: described(z.optional(z.int()), 'Of the response; absent before there is one.'),
      follows: described(
        z.optional(z.string()),
        'The `id` of the record that was written ahead of an effect of the same request.',
      ),
      application_id: z.optional(z.string()),
      credential: described(
        z.optional(z.string()),
        '`key:<id>`, `session:<id>`, `invocation:<id>`, `proxy:<id>` for a call with the key of a stored proxy alone, or `operator:<principal>`.',
      ),
      proxy_id: described(z.optional(z.string()), 'The stored proxy that the call went through.'),
      proxy_version: described(z.optional(z.int()), 'The version of it that the call ran.'),
      source_ip: z.optional(z.string()),
      trace_id: described(z.optional(z.string()), 'The `SVC-TRACE-ID` of the request.'),
      tokens: described(
        z.optional(z.array(z.object({ id: z.string(), form: form() }))),
        'The tokens that were shown, used, changed or refused, and how.',
      ),
      containers: described(z.optional(z.array(z.string())), 'Containers of these tokens.'),
      matches: described(
        z.optional(z.int()),
        'How many tokens matched a search, if over 100: then only those shown are named.',
      ),
      containers_left_out: described(
        z.optional(z.int()),
        'The number of further containers, for which the record has no room.',
      ),
      destination_host: described(z.optional(z.string()), "Host of the proxy's destination or of a webhook."),
      resource: described(
        z.optional(z.string()),
        'The other subject of the request, such as `application:<id>`.',
      ),
      invocation_id: z.optional(z.string()),
      change: described(z.optional(change()), 'Names of changed members and of permissions; no values.'),
    })
    .check(
      z.meta({
        id: 'LogRecord',
        description: 'One request, or one effect that a request started: ids, names and times, never data.',
        examples: [
          {
            id: '0mhx2k3f9Zk3v9QpLw2xA',
            created_at: '2026-11-22T07:15:03.412+00:00',
            operation: 'getToken',
            outcome: 'ok',
            status: 200,
            application_id: '3c4a8c51-6f0e-4a5b-8e0c-9b0f6f0a7d21',
            credential: 'key:019ab4c2-8f7a-7d10-9c55-2b1f0e7a6d42',
            source_ip: '203.0.113.7',
            trace_id: '45c57581-d870-43c3-95e8-eac0007b6b86',
            tokens: [{ id: '0b7f7f4e-7a43-4a52-9d2b-0c3f6ad1d3c8', form: 'reveal' }],
            containers: ['/pci/high/'],
          },
        ],
      }),
    ),
);

/** Lists each token of a record with each form in which the request saw it. */
const presentTokens = (tokens: NonNullable<AuditView['entry']['tokens']>) =>
  Object.entries(tokens).flatMap(([form, ids]) => ids.map((id) => ({ id, form: form as Form })));

/** An audit record as the API returns it. */
export function presentRecord({ position, entry }: AuditView): Response<typeof logRecord> {
  return defined({
    id: position,
    created_at: formatTimestamp(timeOfPosition(position)),
    operation: entry.op,
    outcome: entry.outcome,
    status: entry.status,
    follows: entry.of?.split(':')[1],
    application_id: entry.app,
    credential: entry.cred,
    proxy_id: entry.proxy,
    proxy_version: entry.proxyVersion,
    source_ip: entry.ip,
    trace_id: entry.trace,
    tokens: entry.tokens && presentTokens(entry.tokens),
    containers: entry.containers,
    containers_left_out: entry.containersLeftOut,
    matches: entry.matches,
    destination_host: entry.host,
    resource: entry.resource,
    invocation_id: entry.invocation,
    // Core records only names of permissions.
    change: entry.change as Response<typeof logRecord>['change'],
  } satisfies Undefinable<Response<typeof logRecord>>);
}
