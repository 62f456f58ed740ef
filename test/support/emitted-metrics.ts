import type { DueWork } from '../../src/core/sweep/sweep.ts';
import type { SweeperDeps } from '../../functions/sweeper/dependencies.ts';
import { runSweep } from '../../functions/sweeper/run-sweep.ts';
import type { Print } from '../../src/lambda/request-log.ts';

/** A metric as CloudWatch reads it from a log line in its embedded metric format. */
export interface EmittedMetric {
  readonly namespace: string;
  readonly metric: string;
  readonly dimensions: Readonly<Record<string, unknown>>;
  readonly value: unknown;
}

interface EmbeddedMetricLine {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
  readonly [member: string]: unknown;
}

function metricsOf(line: EmbeddedMetricLine): EmittedMetric[] {
  return line._aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics: all }) =>
    all.map(({ Name }) => ({
      namespace: Namespace,
      metric: Name,
      dimensions: Object.fromEntries(Dimensions.flat().map((name) => [name, line[name]])),
      value: line[Name],
    })),
  );
}

type Printing = (print: Print) => unknown;

async function printedLines(run: Printing): Promise<readonly EmbeddedMetricLine[]> {
  const lines: string[] = [];
  await run((line) => lines.push(line));
  return lines.map((line) => JSON.parse(line) as EmbeddedMetricLine);
}

/** The metrics that `run` prints. Lines of the log have none. */
export async function emittedWhile(run: Printing): Promise<readonly EmittedMetric[]> {
  return (await printedLines(run)).filter((line) => '_aws' in line).flatMap(metricsOf);
}

/** The first minute of an hour, in ms since the epoch: its run has all metrics. */
export const FIRST_MINUTE = 7_200_000;

/** Runs the sweep once over these kinds of work, and prints its metrics. */
const sweep =
  (
    works: readonly DueWork[],
    metricsOn: (print: Print) => SweeperDeps['metrics'],
    now = FIRST_MINUTE,
  ): Printing =>
  (print) =>
    runSweep(
      {
        clock: () => now,
        works,
        keepHot: () => Promise.resolve(),
        parkedDeliveries: () => Promise.resolve(3),
        coldReactors: () => Promise.resolve(2),
        outdatedReactors: () => Promise.resolve(4),
        metrics: metricsOn(print),
        onFailure: () => undefined,
      },
      58_000,
    );

/** The lines of metrics that one run of the sweep prints. */
export const emittedLines = (...of: Parameters<typeof sweep>) => printedLines(sweep(...of));

/** The metrics that one run of the sweep prints. */
export const emittedMetrics = (...of: Parameters<typeof sweep>) => emittedWhile(sweep(...of));
