import { MetricUnit, type Metrics } from '@aws-lambda-powertools/metrics';
import { sweepAll, type SweepReport } from '../../src/core/sweep/sweep.ts';
import type { SweeperDeps } from './dependencies.ts';

/** Time reserved before Lambda's timeout, in ms. */
const RESERVE_MS = 5_000;

/** A run begins every minute. The first of an hour does what is needed once an hour. */
const isFirstOfHour = (now: number): boolean => Math.floor(now / 60_000) % 60 === 0;

/**
 * The metrics of one kind of work in a run, in CloudWatch's embedded metric format: a log line that
 * becomes metrics.
 */
function publish(metrics: Metrics, report: SweepReport): void {
  metrics.addDimension('Work', report.name);
  metrics.addMetric('OldestDueSeconds', MetricUnit.Seconds, Math.round(report.oldestDueMs / 1000));
  // These counts are only in the log line: each metric has a monthly price, and no alarm needs
  // them.
  metrics.addMetadata('Swept', String(report.done));
  metrics.addMetadata('SweepFailures', String(report.failed));
  metrics.publishStoredMetrics();
}

/** One run over all due work, within Lambda's timeout. */
export async function runSweep(deps: SweeperDeps, remainingMs: number): Promise<void> {
  const { clock, works, onFailure, parkedDeliveries, coldReactors, outdatedReactors, keepHot } = deps;
  const metrics = deps.metrics();
  const deadline = clock() + remainingMs - RESERVE_MS;
  const reports = await sweepAll(works, { clock, deadline, onFailure });
  for (const report of reports) publish(metrics, report);
  // Calls of Lambda's control plane that can wait come last. The next run repeats a failed one.
  if (clock() < deadline) await keepHot(deadline).catch(onFailure);
  metrics.addMetric('ParkedDeliveries', MetricUnit.Count, await parkedDeliveries());
  metrics.addMetric('ColdReactors', MetricUnit.Count, await coldReactors());
  if (isFirstOfHour(clock()))
    metrics.addMetric('ReactorsOutdated', MetricUnit.Count, await outdatedReactors());
  metrics.publishStoredMetrics();
  // An alarm watches failed runs; the other kinds of work have run by now.
  const unreadable = reports.filter((report) => report.isUnreadable).map(({ name }) => name);
  if (unreadable.length > 0) throw new Error(`what is due cannot be read: ${unreadable.join(', ')}`);
}
