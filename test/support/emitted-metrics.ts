import type { Metrics } from '@aws-lambda-powertools/metrics';
import type { DueWork } from '../../src/core/sweep/sweep.ts';
import { runSweep } from '../../functions/sweeper/run-sweep.ts';

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

/** The lines that `run`, which must create its own `Metrics`, writes to the console. */
async function writtenLines(run: () => unknown): Promise<readonly EmbeddedMetricLine[]> {
  const lines: string[] = [];
  // Otherwise it bypasses the console that the test replaces.
  Object.assign(process.env, { POWERTOOLS_DEV: 'true', POWERTOOLS_METRICS_DISABLED: 'false' });
  const log = jest.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  const error = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  try {
    await run();
  } finally {
    log.mockRestore();
    error.mockRestore();
  }
  return lines.map((line) => JSON.parse(line) as EmbeddedMetricLine);
}

/** The metrics that `run`, which must create its own `Metrics`, emits. */
export async function emittedWhile(run: () => unknown): Promise<readonly EmittedMetric[]> {
  return (await writtenLines(run)).flatMap(metricsOf);
}

/**
 * The lines of metrics that one run of the sweep emits. `createMetrics` is called once the console
 * is observed.
 */
export function emittedLines(
  works: readonly DueWork[],
  createMetrics: () => Metrics,
): Promise<readonly EmbeddedMetricLine[]> {
  const [parkedDeliveries, coldReactors] = [() => Promise.resolve(3), () => Promise.resolve(2)];
  return writtenLines(() => {
    const metrics = createMetrics();
    return runSweep(
      { clock: () => 100_000, works, parkedDeliveries, coldReactors, metrics: () => metrics },
      58_000,
    );
  });
}

/** The metrics that one run of the sweep emits. */
export async function emittedMetrics(
  works: readonly DueWork[],
  createMetrics: () => Metrics,
): Promise<readonly EmittedMetric[]> {
  return (await emittedLines(works, createMetrics)).flatMap(metricsOf);
}
