import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { defined } from '../core/shared/defined.ts';
import type { Sent } from '../core/webhooks/deliver.ts';
import type { HandledMessage } from './invocation-messages.ts';
import { printedMetrics } from './printed-metrics.ts';
import type { Print } from './request-log.ts';

/**
 * Reports an attempt to deliver a result. The metric `DeliveryFailed` is 0 or 1 for each attempt:
 * its sum counts failures, its sample count attempts. `DeliveryParked` counts the last attempts of
 * deliveries that failed for good. The log line has the reason beside it.
 * Returns what the log says of the attempt.
 */
export function deliveryReports(print: Print, namespace: string): (sent: Sent) => HandledMessage {
  const metrics = printedMetrics(print, namespace, 'webhook-sender');
  return ({ outcome, attempt, status, reason, nextAt }) => {
    // Nothing was sent, so no receiver has failed.
    if (outcome === 'forbidden') return { level: 'warn', fields: { outcome, reason } };
    const isDelivered = outcome === 'delivered';
    const failure = isDelivered ? undefined : (reason ?? `HTTP ${String(status)}`);
    if (failure !== undefined) metrics().addMetadata('reason', failure);
    metrics().addMetric('DeliveryFailed', MetricUnit.Count, isDelivered ? 0 : 1);
    if (outcome === 'parked') metrics().addMetric('DeliveryParked', MetricUnit.Count, 1);
    metrics().publishStoredMetrics();
    const next = nextAt === undefined ? undefined : new Date(nextAt).toISOString();
    return {
      level: isDelivered ? 'info' : 'warn',
      fields: defined({ outcome, attempt, status, reason: failure, nextAttempt: next }),
    };
  };
}

/** Reports a delivery that the sweep parks, because its last attempt did not end. */
export function parkedReports(print: Print, namespace: string): () => void {
  const metrics = printedMetrics(print, namespace, 'webhook-sender');
  return () => {
    metrics().addMetric('DeliveryParked', MetricUnit.Count, 1);
    metrics().publishStoredMetrics();
  };
}
