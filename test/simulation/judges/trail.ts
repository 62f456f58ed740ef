import type { Answered } from '../findings.ts';
import type { Arrival } from '../models/internet-model.ts';
import type { Cast } from '../run.ts';
import type { Body, Found } from './found.ts';

/**
 * Every answer has a record of its application, which names every token in it; every token has one
 * of its creation, and of its deletion.
 */
export function recordsAreComplete(
  answered: readonly Answered[],
  records: readonly Body[],
  listed: readonly Body[],
): Found {
  const byTrace = Map.groupBy(records, (record) => record.trace_id as string);
  const namedIn = (of: readonly Body[]) =>
    of.flatMap(
      (record) => (record.tokens ?? []) as readonly { readonly id: string; readonly form: string }[],
    );
  const missing = answered.flatMap((answer) => {
    const { label, trace, status, outcome, ids, deleted, applicationId, isForeign } = answer;
    // A request that failed has shown nothing.
    if (isForeign || outcome === 'failed') return [];
    const found = byTrace.get(trace);
    if (found === undefined) return [`${label} (${trace}) answered ${String(status)} without a record`];
    const others = found.filter(
      ({ application_id: of }) => applicationId !== undefined && of !== applicationId,
    );
    if (others.length > 0)
      return [`${label} (${trace}): its record names ${String(others[0]?.application_id)}`];
    if (deleted !== undefined && !namedIn(found).some(({ id, form }) => id === deleted && form === 'delete'))
      return [`${label} (${trace}): no record says that ${deleted} was deleted`];
    const named = new Set(namedIn(found).map(({ id }) => id));
    return ids.filter((id) => !named.has(id)).map((id) => `${label} (${trace}): no record names ${id}`);
  });
  const created = new Set(
    namedIn(records)
      .filter(({ form }) => form === 'create')
      .map(({ id }) => id),
  );
  const uncreated = listed.filter(({ id }) => !created.has(id as string));
  return [...missing, ...uncreated.map(({ id }) => `no record says that ${String(id)} was created`)];
}

/** The trail and its indexes verify, and what is older than some minutes is sealed. */
export async function trailIsIntact({ service, isVerified }: Cast): Promise<Found> {
  if (!isVerified) return [];
  const problems: string[] = [];
  let records = 0;
  let unsealed = 0;
  let next: object | null = {};
  while (next !== null) {
    const found = (await service.invoke('operator', {
      command: 'verify-audit',
      index: true,
      ...next,
    })) as Body;
    if (found.intact !== true) problems.push(`the trail does not verify: ${JSON.stringify(found)}`);
    records += found.records as number;
    unsealed += found.not_sealed_yet as number;
    next = found.next as object | null;
  }
  if (2 * unsealed > records)
    problems.push(`${String(unsealed)} of ${String(records)} records are not sealed`);
  return problems;
}

/**
 * The record that closes a request says how it ended. A change that succeeded needs none, and one
 * that failed can lack it: the service could not write it (docs/contract.md#outcomes).
 */
export function outcomesAreRecorded(answered: readonly Answered[], records: readonly Body[]): Found {
  const byTrace = Map.groupBy(records, (record) => record.trace_id as string);
  return answered.flatMap(({ label, trace, status, outcome, isForeign }) => {
    // The service may have failed after it had written how the request ended.
    if (isForeign || outcome === 'failed') return [];
    return (byTrace.get(trace) ?? [])
      .filter((record) => record.outcome !== 'begun')
      .filter((record) => record.outcome !== outcome || record.status !== status)
      .map(
        (record) =>
          `${label} (${trace}) answered ${String(status)}, and its record says ${String(record.status)} ${String(record.outcome)}`,
      );
  });
}

const begunRecords = (records: readonly Body[], operation: string, invocation: string | undefined) =>
  records.filter(
    (record) =>
      record.outcome === 'begun' && record.operation === operation && record.invocation_id === invocation,
  );

/** Everything that arrives somewhere was recorded before it left. */
export function departuresAreRecorded(arrivals: readonly Arrival[], records: readonly Body[]): Found {
  const begun = records.filter(
    ({ outcome, destination_host: to }) => outcome === 'begun' && to !== undefined,
  );
  const recorded = Map.groupBy(begun, (record) =>
    [record.destination_host, record.invocation_id ?? record.trace_id].join(' '),
  );
  const arrived = Map.groupBy(arrivals, ({ host, headers }) =>
    [host, headers['webhook-id'] ?? headers['svc-trace-id']].join(' '),
  );
  return [...arrived]
    .filter(([name, all]) => all.length > (recorded.get(name)?.length ?? 0))
    .map(([name, all]) => `${String(all.length)} requests left to ${name}, of which not all have a record`);
}

/** Code that ran for an invocation was recorded before, with the token that it got. */
export function runsAreRecorded({ shared }: Cast, records: readonly Body[]): Found {
  return [...shared.jobs.values()]
    .filter(({ name, id }) => id !== undefined && shared.runs.has(name))
    .filter(({ id, token }) => {
      const uses = begunRecords(records, 'runInvocation', id).flatMap(
        (record) => (record.tokens ?? []) as readonly { readonly id: string; readonly form: string }[],
      );
      return !uses.some((use) => use.id === token.id && use.form === 'use');
    })
    .map(({ name }) => `${name} ran without a record`);
}
