import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { AuditLogDeps } from '../core/audit/audit-log.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import { causesOf, writeLog } from './request-log.ts';

/**
 * Reports audit records that could not be written: in the log, and as CloudWatch embedded metrics
 * for the alarms `AuditUnavailable` and `AuditEndMissing`. It costs nothing otherwise.
 */
export function auditReports(
  namespace: string,
): Pick<AuditLogDeps, 'onAuditUnavailable' | 'onAuditEndMissing'> {
  // Created with the first report, which loads the library (lib/bundle.ts).
  const metrics = madeOnce(() => new Metrics({ namespace, serviceName: 'audit' }));
  const report = (name: string) => (error: unknown) => {
    writeLog('error', { operation: `report${name}`, cause: causesOf(error) });
    metrics().addMetric(name, MetricUnit.Count, 1);
    metrics().publishStoredMetrics();
  };
  return {
    onAuditUnavailable: report('AuditUnavailable'),
    onAuditEndMissing: report('AuditEndMissing'),
  };
}

/** Reports the findings of a check of the trail, if any, for the alarm `AuditBroken`. */
export function reportAuditCheck(namespace: string): (found: unknown) => void {
  const metrics = madeOnce(() => new Metrics({ namespace, serviceName: 'audit' }));
  return (found) => {
    if (found !== undefined)
      writeLog('error', { operation: 'verifyAuditTrail', cause: [JSON.stringify(found)] });
    metrics().addMetric('AuditBroken', MetricUnit.Count, found === undefined ? 0 : 1);
    metrics().publishStoredMetrics();
  };
}
