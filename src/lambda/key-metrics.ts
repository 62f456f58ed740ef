import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { printedMetrics } from './printed-metrics.ts';
import type { Print } from './request-log.ts';

/** Reports a use of a deleted or expired key for the alarm `RetiredKeyUsed`. */
export function keyReports(print: Print, namespace: string): () => void {
  const metrics = printedMetrics(print, namespace, 'keys');
  return () => {
    metrics().addMetric('RetiredKeyUsed', MetricUnit.Count, 1);
    metrics().publishStoredMetrics();
  };
}
