/** One call that the endpoint answered or refused. Never holds a body, a key or an item. */
export interface CallRecord {
  /** The signing name: `dynamodb`, `kms`, ... */
  readonly service: string;
  /** The API call as `service:Operation`; for REST services the IAM action. */
  readonly action: string;
  /** The name of the calling role, or `administrator`. */
  readonly principal: string;
  /** ARNs that the call needed access to. */
  readonly resources: readonly string[];
  /** HTTP's, or 599 if the connection was cut. */
  readonly status: number;
  readonly durationMs: number;
  /** DynamoDB's units, read and write together. */
  readonly consumedCapacity?: number;
}

/** Calls of one principal to one action since the counter was reset. */
export interface CallCount {
  readonly principal: string;
  readonly service: string;
  readonly action: string;
  readonly calls: number;
  /** Calls answered with a status of 400 or more. */
  readonly failures: number;
  readonly capacityUnits: number;
}

export interface CallCounter {
  add(record: CallRecord): void;
  counts(): readonly CallCount[];
  reset(): void;
}

export function createCallCounter(): CallCounter {
  const counts = new Map<string, CallCount>();
  return {
    add: ({ principal, service, action, status, consumedCapacity = 0 }) => {
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
    reset: () => {
      counts.clear();
    },
  };
}
