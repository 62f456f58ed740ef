import { sweep, type SweepReport } from '../../core/sweep/sweep.ts';
import { causesOf, writeLog } from '../../http/request-log.ts';
import type { SweeperDeps } from './dependencies.ts';

/** Time that a run leaves unused before Lambda would end it, in ms. */
const RESERVE_MS = 5_000;

/** A metric in CloudWatch's embedded format: a log line that becomes `OldestDueSeconds` and `Swept`, by kind of work. */
function metricOf(report: SweepReport, now: number) {
  const metrics = [
    { Name: 'OldestDueSeconds', Unit: 'Seconds' },
    { Name: 'Swept', Unit: 'Count' },
    { Name: 'SweepFailures', Unit: 'Count' },
  ];
  return {
    _aws: {
      Timestamp: now,
      CloudWatchMetrics: [{ Namespace: 'Cloakroom', Dimensions: [['Work']], Metrics: metrics }],
    },
    Work: report.name,
    OldestDueSeconds: Math.round(report.oldestDueMs / 1000),
    Swept: report.done,
    SweepFailures: report.failed,
  };
}

/** One run over everything that is due, within the time that Lambda gives it. */
export async function runSweep({ clock, works }: SweeperDeps, remainingMs: number): Promise<void> {
  const deadline = clock() + remainingMs - RESERVE_MS;
  const onFailure = (error: unknown) =>
    writeLog({ level: 'error', operation: 'sweep', cause: causesOf(error) });
  for (const work of works) {
    writeLog(metricOf(await sweep(work, { clock, deadline, onFailure }), clock()));
  }
}
