import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { defined } from '../core/shared/defined.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import type { Sent } from '../core/webhooks/deliver.ts';
import type { HandledMessage } from './invocation-messages.ts';

/**
 * Reports an attempt to deliver a result. The metric `DeliveryFailed` is 0 or 1 for each attempt:
 * its sum counts failures, its sample count attempts. The log line has the reason beside it.
 * Returns what the log says of the attempt.
 */
export function deliveryReports(namespace: string): (sent: Sent) => HandledMessage {
  // The first report creates it, and so loads the library (lib/bundle.ts).
  const metrics = madeOnce(() => new Metrics({ namespace, serviceName: 'webhook-sender' }));
  return ({ outcome, attempt, status, reason, nextAt }) => {
    const isDelivered = outcome === 'delivered';
    const failure = isDelivered ? undefined : (reason ?? `HTTP ${String(status)}`);
    if (failure !== undefined) metrics().addMetadata('reason', failure);
    metrics().addMetric('DeliveryFailed', MetricUnit.Count, isDelivered ? 0 : 1);
    metrics().publishStoredMetrics();
    const next = nextAt === undefined ? undefined : new Date(nextAt).toISOString();
    return {
      level: isDelivered ? 'info' : 'warn',
      fields: defined({ outcome, attempt, status, reason: failure, nextAttempt: next }),
    };
  };
}
