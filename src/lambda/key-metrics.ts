import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { printedMetrics } from './printed-metrics.ts';
import type { Print } from './request-log.ts';

/** Alarms about API keys have the names of these metrics. */
interface KeyReports {
  /** A caller used a deleted or expired key. */
  readonly onRetiredKeyUsed: () => void;
  /** An operator makes a management key of a tenant that exists. */
  readonly onManagementKeyCreated: () => void;
}

export function keyReports(print: Print, namespace: string): KeyReports {
  const metrics = printedMetrics(print, namespace, 'keys');
  const count = (name: 'RetiredKeyUsed' | 'ManagementKeyCreated') => () => {
    metrics().addMetric(name, MetricUnit.Count, 1);
    metrics().publishStoredMetrics();
  };
  return {
    onRetiredKeyUsed: count('RetiredKeyUsed'),
    onManagementKeyCreated: count('ManagementKeyCreated'),
  };
}
