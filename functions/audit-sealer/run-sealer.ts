import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { sealTrail } from '../../src/core/trail/seal-trail.ts';
import type { AuditSealerDeps } from './dependencies.ts';

/** Time reserved for the last interval before Lambda's timeout, in ms. */
const RESERVE_MS = 30_000;

/**
 * One run: seals all unsealed records and reports the delay. It logs the hash of the newest seal,
 * since an attacker who can change the tables cannot change the log.
 */
export async function runSealer(deps: AuditSealerDeps, remainingMs: number): Promise<void> {
  const report = await sealTrail({ ...deps, deadline: deps.clock() + remainingMs - RESERVE_MS });
  const metrics = deps.metrics();
  if (report.lagMs !== undefined)
    metrics.addMetric('AuditSealLagSeconds', MetricUnit.Seconds, Math.round(report.lagMs / 1000));
  if (report.indexLagMs !== undefined)
    metrics.addMetric('AuditIndexLagSeconds', MetricUnit.Seconds, Math.round(report.indexLagMs / 1000));
  metrics.addMetric('AuditBroken', MetricUnit.Count, report.broken === undefined ? 0 : 1);
  metrics.addMetadata('SealedIntervals', String(report.intervals));
  metrics.addMetadata('SealedRecords', String(report.records));
  if (report.newest !== undefined) metrics.addMetadata('NewestSeal', report.newest);
  metrics.publishStoredMetrics();
  if (report.broken !== undefined)
    deps.writeLog('error', { operation: 'sealAuditTrail', cause: [report.broken] });
}
