import { AwsError, type AwsAccess, type AwsCall } from '../aws-service.ts';
import type { CallFaults } from '../faults/call-faults.ts';

/** Sees a call that a fault throttled before the service could handle it. */
export type OnThrottled = (call: AwsCall, action: string) => void;

interface Cancelled {
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
}

const THROTTLES = ['ProvisionedThroughputExceededException', 'TooManyRequestsException'];

function isThrottle(error: unknown): boolean {
  if (!(error instanceof AwsError)) return false;
  const { CancellationReasons = [] }: Cancelled = error.fields;
  return THROTTLES.includes(error.code) || CancellationReasons.some(({ Code }) => Code === 'ThrottlingError');
}

/** Reports the calls that faults throttle. The counts of Lambda have those of its own pools. */
export function observeThrottles(faults: CallFaults, onThrottled: OnThrottled): CallFaults {
  return {
    carryOut: async (call, action, perform) => {
      const service = { reached: false };
      try {
        return await faults.carryOut(call, action, (wanted) => {
          service.reached = true;
          return perform(wanted);
        });
      } catch (error) {
        if (!service.reached && isThrottle(error)) onThrottled(call, action);
        throw error;
      }
    },
  };
}

const READS = /^(?:BatchGetItem|GetItem|Query|Scan|TransactGetItems)$/;

/** The metric that counts a throttled access to a table or an index. */
export function throttleMetricOf(action: string, { resource }: AwsAccess) {
  const [, table, index] = /:table\/([^/]+)(?:\/index\/([^/]+))?$/.exec(resource) ?? [];
  if (table === undefined) return undefined;
  return {
    namespace: 'AWS/DynamoDB',
    name: READS.test(action) ? 'ReadThrottleEvents' : 'WriteThrottleEvents',
    dimensions: { TableName: table, ...(index !== undefined && { GlobalSecondaryIndexName: index }) },
  };
}
