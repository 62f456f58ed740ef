import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { AuditLogDeps } from '../core/audit/audit-log.ts';
import type { LatestCheck } from '../core/trail/check-latest.ts';
import { printedMetrics } from './printed-metrics.ts';
import { causesOf, createLog, type Print } from './request-log.ts';

/**
 * Reports audit records that could not be written, in the log and as CloudWatch embedded metrics
 * for the alarms `AuditUnavailable` and `AuditEndMissing`. It costs nothing otherwise.
 */
export function auditReports(
  print: Print,
  namespace: string,
): Pick<AuditLogDeps, 'onAuditUnavailable' | 'onAuditEndMissing'> {
  const log = createLog(print);
  const metrics = printedMetrics(print, namespace, 'audit');
  const report = (name: string) => (error: unknown) => {
    log.write('error', { operation: `report${name}`, cause: causesOf(error) });
    metrics().addMetric(name, MetricUnit.Count, 1);
    metrics().publishStoredMetrics();
  };
  return {
    onAuditUnavailable: report('AuditUnavailable'),
    onAuditEndMissing: report('AuditEndMissing'),
  };
}

/** Writes JSON in which an attacker's text has no character that a terminal acts on. */
const plainJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** The scheduled check reports these (docs/verify-the-trail.md#the-hourly-check). */
export interface AuditCheckReports {
  /** `broken` has the first failures. */
  readonly onAuditChecked: (
    check: Pick<LatestCheck, 'failures' | 'isFinished' | 'lagMs'> & { readonly broken: readonly unknown[] },
  ) => void;
  /** Reports how the tables of the trail differ from the template. */
  readonly onTrailProtection: (problems: readonly string[]) => void;
  /** Reports the same of the tables with data. */
  readonly onDataProtection: (problems: readonly string[]) => void;
}

/** Most failures that a log line names. */
const LOGGED_FAILURES = 5;

/**
 * Reports to the log, for the alarms `AuditBroken`, `AuditCheckLate`, `AuditUnprotected`,
 * `DataUnprotected`.
 */
export function auditCheckReports(print: Print, namespace: string): AuditCheckReports {
  const log = createLog(print);
  const metrics = printedMetrics(print, namespace, 'audit');
  const ofData = printedMetrics(print, namespace, 'account');
  return {
    onDataProtection: (problems) => {
      if (problems.length > 0)
        log.write('error', { operation: 'compareDataProtection', cause: problems.map(plainJson) });
      ofData().addMetric('DataUnprotected', MetricUnit.Count, problems.length);
      ofData().publishStoredMetrics();
    },
    onAuditChecked: ({ failures, isFinished, lagMs, broken }) => {
      if (failures > 0)
        log.write('error', {
          operation: 'verifyAuditTrail',
          cause: [`failures: ${String(failures)}`, ...broken.slice(0, LOGGED_FAILURES).map(plainJson)],
        });
      metrics().addMetric('AuditBroken', MetricUnit.Count, failures);
      metrics().addMetric('AuditChecked', MetricUnit.Count, isFinished ? 1 : 0);
      metrics().addMetric('AuditCheckLagSeconds', MetricUnit.Seconds, Math.round(lagMs / 1000));
      metrics().publishStoredMetrics();
    },
    onTrailProtection: (problems) => {
      if (problems.length > 0)
        log.write('error', { operation: 'compareTrailProtection', cause: problems.map(plainJson) });
      metrics().addMetric('AuditUnprotected', MetricUnit.Count, problems.length);
      metrics().publishStoredMetrics();
    },
  };
}
