import { control, type LocalAdministrator } from '../../../packages/local-aws/src/control.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFaults } from '../../../test/support/set-faults.ts';
import type { CallRecord } from '../../../packages/local-aws/src/aws-endpoint/call-counter.ts';

/** The AWS calls that an operation makes. */
export interface WireCost {
  readonly calls: number;
  /** Calls by name, in the order of their first responses. */
  readonly names: string;
  /** The longest chain of sequential calls: each began after the previous one had ended. */
  readonly sequential: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** The calls and units above include these, which write to the audit trail. */
  readonly auditCalls: number;
  readonly auditUnits: number;
  readonly kmsCalls: number;
  readonly sqsCalls: number;
  readonly lambdaCalls: number;
  /** Bytes of the calls and of their responses, without HTTP's own lines. */
  readonly bytesOut: number;
  readonly bytesIn: number;
}

/** The shortest duration of a call, in ms, so that concurrent calls overlap on every machine. */
const LATENCY_MS = 400;
const SLOWED = ['dynamodb', 'kms', 'sqs', 'lambda'];
const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan', 'TransactGetItems']);

const nameOf = ({ action }: CallRecord) => action.slice(action.indexOf(':') + 1);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/**
 * The largest set of calls without overlap: sorted by their ends, each that begins after the last
 * chosen one.
 */
export function sequentialCalls(calls: readonly Pick<CallRecord, 'startedMs' | 'durationMs'>[]): number {
  const spans = calls
    .map(({ startedMs, durationMs }) => ({ from: startedMs, to: startedMs + durationMs }))
    .toSorted((a, b) => a.to - b.to);
  let count = 0;
  let end = -Infinity;
  for (const { from, to } of spans) {
    if (from < end) continue;
    count += 1;
    end = to;
  }
  return count;
}

export function wireCost(calls: readonly CallRecord[]): WireCost {
  const unitsOf = (isRead: boolean) =>
    sum(
      calls
        .filter((call) => READS.has(nameOf(call)) === isRead)
        .map(({ consumedCapacity = 0 }) => consumedCapacity),
    );
  // Only the audit trail inserts with PartiQL (src/adapters/dynamodb/insert-only.ts).
  const ofAudit = calls.filter((call) => nameOf(call) === 'BatchExecuteStatement');
  const of = (service: string) => calls.filter((call) => call.service === service).length;
  return {
    calls: calls.length,
    names: [...Map.groupBy(calls, nameOf)]
      .map(([name, records]) => `${name} ${String(records.length)}`)
      .join(', '),
    sequential: sequentialCalls(calls),
    readUnits: unitsOf(true),
    writeUnits: unitsOf(false),
    auditCalls: ofAudit.length,
    auditUnits: sum(ofAudit.map(({ consumedCapacity = 0 }) => consumedCapacity)),
    kmsCalls: of('kms'),
    sqsCalls: of('sqs'),
    lambdaCalls: of('lambda'),
    bytesOut: sum(calls.map(({ requestBytes }) => requestBytes)),
    bytesIn: sum(calls.map(({ responseBytes }) => responseBytes)),
  };
}

const minute = () => Math.floor(Date.now() / 60_000);

/**
 * Repeats a measurement that did not begin and end within one minute of the clock, after
 * `startOver`.
 */
export async function withinMinute<T>(
  measure: () => Promise<T>,
  startOver: () => Promise<void> = () => Promise.resolve(),
): Promise<T> {
  for (;;) {
    const began = minute();
    const measured = await measure();
    if (minute() === began) return measured;
    await startOver();
  }
}

/** Records the AWS calls that a running local service makes. */
export interface Wire {
  /**
   * The calls of an operation until it ends and, with `quietMs`, until no call has come for that
   * long.
   */
  during(operation: () => Promise<unknown>, quietMs?: number): Promise<readonly CallRecord[]>;
}

export function openWire(account: LocalAdministrator): Wire {
  async function log(): Promise<readonly CallRecord[]> {
    return ((await control(account, 'call-log')) as { readonly calls: readonly CallRecord[] }).calls;
  }

  return {
    async during(operation, quietMs) {
      await setFaults(
        account,
        SLOWED.map((name) => `${name}:latency:${String(LATENCY_MS)}`),
      );
      await control(account, 'calls', { method: 'DELETE' });
      await operation();
      let calls = await log();
      for (let seen = -1; quietMs !== undefined && seen !== calls.length; calls = await log()) {
        seen = calls.length;
        await sleep(quietMs);
      }
      await setFaults(account, []);
      return calls;
    },
  };
}
