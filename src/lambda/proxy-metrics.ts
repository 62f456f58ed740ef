import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { ProxyReports } from '../core/stored-proxies/proxy-reports.ts';
import { printedMetrics } from './printed-metrics.ts';
import { createLog, type Print } from './request-log.ts';

/** Reports to the operator alone: log lines, and metrics for the alarms of the same names. */
export function proxyReports(print: Print, namespace: string): ProxyReports {
  const log = createLog(print);
  const metrics = printedMetrics(print, namespace, 'proxies');
  const count = (name: 'ConfigurationGuessed' | 'RetiredSecretsForgotten') => {
    metrics().addMetric(name, MetricUnit.Count, 1);
    metrics().publishStoredMetrics();
  };
  return {
    onSecretGuessed: ({ name, ...found }) => {
      log.write('warn', { operation: 'reportConfigurationGuessed', ...found, configurationName: name });
      count('ConfigurationGuessed');
    },
    onSecretsForgotten: ({ traceId, tenantId, proxyId }) => {
      log.write('warn', { operation: 'reportRetiredSecretsForgotten', traceId, tenantId, proxyId });
      count('RetiredSecretsForgotten');
    },
  };
}
