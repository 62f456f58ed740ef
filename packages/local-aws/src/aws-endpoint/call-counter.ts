/** One call to the endpoint, successful or not. Never contains a body, a key or an item. */
export interface CallRecord {
  /** The signing name: `dynamodb`, `kms`, ... */
  readonly service: string;
  /** The API call as `service:Operation`; for REST services the IAM action. */
  readonly action: string;
  /** The name of the calling role, or `administrator`. */
  readonly principal: string;
  /** ARNs that the call needed access to. */
  readonly resources: readonly string[];
  /** The HTTP status, or 599 if the connection was cut. */
  readonly status: number;
  /** Its arrival, on a clock that only orders calls. */
  readonly startedMs: number;
  readonly durationMs: number;
  /** Bytes of the two bodies, without HTTP's own lines. */
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** DynamoDB's units, reads and writes together. */
  readonly consumedCapacity?: number;
}

/** Calls of one principal to one action since the counter was reset. */
export interface CallCount {
  readonly principal: string;
  readonly service: string;
  readonly action: string;
  readonly calls: number;
  /** Calls with a status of 400 or more. */
  readonly failures: number;
  readonly capacityUnits: number;
}

export interface CallCounter {
  add(record: CallRecord): void;
  counts(): readonly CallCount[];
  /**
   * Returns the calls themselves, in the order of their responses. Contains at most the last
   * {@link LATEST_CALLS}.
   */
  latest(): readonly CallRecord[];
  reset(): void;
}

/** Enough for any one operation, and little for a service that runs for days. */
const LATEST_CALLS = 1_000;

export function createCallCounter(): CallCounter {
  const counts = new Map<string, CallCount>();
  let latest: CallRecord[] = [];
  return {
    add: (record) => {
      const { principal, service, action, status, consumedCapacity = 0 } = record;
      latest.push(record);
      if (latest.length > 2 * LATEST_CALLS) latest = latest.slice(-LATEST_CALLS);
      const key = `${principal} ${action}`;
      const { calls = 0, failures = 0, capacityUnits = 0 } = counts.get(key) ?? {};
      counts.set(key, {
        principal,
        service,
        action,
        calls: calls + 1,
        failures: failures + (status >= 400 ? 1 : 0),
        capacityUnits: capacityUnits + consumedCapacity,
      });
    },
    counts: () => [...counts.values()],
    latest: () => latest.slice(-LATEST_CALLS),
    reset: () => {
      counts.clear();
      latest = [];
    },
  };
}
