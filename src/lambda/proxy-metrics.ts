import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { printedMetrics } from './printed-metrics.ts';
import { createLog, type Print } from './request-log.ts';

/** Names a value of a configuration. None of these is a secret. */
interface NamedValue {
  readonly traceId: string;
  readonly tenantId: string;
  readonly proxyId: string;
  /** The name of the value in the configuration: letters, digits and `_`. */
  readonly name: string;
}

/** Reports to the operator alone: log lines, and metrics for alarms. */
export interface ProxyReports {
  /** Reports that a caller sent a text that equals a secret, for the alarm `ConfigurationGuessed`. */
  readonly reportGuess: (found: NamedValue) => void;
  /**
   * Reports that the oldest replaced secrets of a proxy are no longer removed from answers, for the
   * alarm `RetiredSecretsForgotten`.
   */
  readonly reportForgotten: (found: Omit<NamedValue, 'name'>) => void;
}

export function proxyReports(print: Print, namespace: string): ProxyReports {
  const log = createLog(print);
  const metrics = printedMetrics(print, namespace, 'proxies');
  const count = (name: 'ConfigurationGuessed' | 'RetiredSecretsForgotten') => {
    metrics().addMetric(name, MetricUnit.Count, 1);
    metrics().publishStoredMetrics();
  };
  return {
    reportGuess: ({ name, ...found }) => {
      log.write('warn', { operation: 'reportConfigurationGuessed', ...found, configurationName: name });
      count('ConfigurationGuessed');
    },
    reportForgotten: ({ traceId, tenantId, proxyId }) => {
      log.write('warn', { operation: 'reportRetiredSecretsForgotten', traceId, tenantId, proxyId });
      count('RetiredSecretsForgotten');
    },
  };
}
