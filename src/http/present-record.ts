import { timeOfPosition, type AuditEntry, type Form } from '../core/audit/audit-record.ts';
import type { AuditView } from '../core/trail/list-records.ts';
import type { JsonObject } from '../core/shared/json.ts';
import { formatTimestamp } from '../core/shared/timestamp.ts';

/** The tokens of an audit record, each with the forms in which the request saw it. */
const tokensOf = ({ tokens = {} }: AuditEntry): readonly JsonObject[] =>
  Object.entries(tokens).flatMap(([form, ids]) => ids.map((id) => ({ id, form: form as Form })));

/** An audit record as the API returns it (docs/contract.md#audit-trail). */
export function presentRecord({ position, entry }: AuditView): JsonObject {
  const { change } = entry;
  const members: Readonly<Record<string, JsonObject[string] | undefined>> = {
    id: position,
    created_at: formatTimestamp(timeOfPosition(position)),
    operation: entry.op,
    outcome: entry.outcome,
    status: entry.status,
    follows: entry.of?.split(':')[1],
    application_id: entry.app,
    credential: entry.cred,
    source_ip: entry.ip,
    trace_id: entry.trace,
    tokens: entry.tokens && tokensOf(entry),
    containers: entry.containers,
    containers_left_out: entry.containersLeftOut,
    matches: entry.matches,
    destination_host: entry.host,
    resource: entry.resource,
    invocation_id: entry.invocation,
    change: change && { ...change },
    count: entry.count,
  };
  return Object.fromEntries(
    Object.entries(members).filter(
      (member): member is [string, JsonObject[string]] => member[1] !== undefined,
    ),
  );
}
