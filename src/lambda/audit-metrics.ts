import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { AuditLogDeps } from '../core/audit/audit-log.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import { causesOf, writeLog } from './request-log.ts';

/**
 * Reports what the audit trail could not take: in the log, and in CloudWatch's embedded metric
 * format, for the alarms `AuditUnavailable` and `AuditEndMissing`. It costs only while that
 * happens.
 */
export function auditReports(
  namespace: string,
): Pick<AuditLogDeps, 'onAuditUnavailable' | 'onAuditEndMissing'> {
  // Made with the first report, which loads the library (lib/bundle.ts).
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

/** Reports what a check of the trail found, if anything, for the alarm `AuditBroken`. */
export function reportAuditCheck(namespace: string): (found: unknown) => void {
  const metrics = madeOnce(() => new Metrics({ namespace, serviceName: 'audit' }));
  return (found) => {
    if (found !== undefined)
      writeLog('error', { operation: 'verifyAuditTrail', cause: [JSON.stringify(found)] });
    metrics().addMetric('AuditBroken', MetricUnit.Count, found === undefined ? 0 : 1);
    metrics().publishStoredMetrics();
  };
}
