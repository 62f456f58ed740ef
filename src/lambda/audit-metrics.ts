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

/** JSON in which an attacker's text has no character that a terminal acts on. */
const plainJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/**
 * Reports the number of failures that a check of the trail found, and the first of them, for the
 * alarm `AuditBroken`.
 */
export function reportAuditCheck(namespace: string): (failures: number, first: readonly unknown[]) => void {
  const metrics = madeOnce(() => new Metrics({ namespace, serviceName: 'audit' }));
  return (failures, first) => {
    if (failures > 0)
      writeLog('error', {
        operation: 'verifyAuditTrail',
        cause: [`failures: ${String(failures)}`, ...first.map(plainJson)],
      });
    metrics().addMetric('AuditBroken', MetricUnit.Count, failures);
    metrics().publishStoredMetrics();
  };
}
