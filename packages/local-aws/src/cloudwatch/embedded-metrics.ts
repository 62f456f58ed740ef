import { z } from 'zod';
import type { MetricId } from './metric-store.ts';

// CloudWatch User Guide, Embedded metric format specification.
const embedded = z.looseObject({
  _aws: z.looseObject({
    CloudWatchMetrics: z.array(
      z.looseObject({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string()).max(30)),
        Metrics: z.array(z.looseObject({ Name: z.string() })).max(100),
      }),
    ),
  }),
});
const values = z.union([z.number().transform((value) => [value]), z.array(z.number()).max(100)]);

/** All lines of metrics contain this text, and hardly any other line does. */
const MARK = '"CloudWatchMetrics"';

function parse(line: string): z.infer<typeof embedded> | undefined {
  try {
    return embedded.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** The values of the named dimensions; `undefined` if the line lacks one. */
function dimensionsOf(line: Readonly<Record<string, unknown>>, names: readonly string[]) {
  const pairs = names.map((name) => [name, line[name]] as const);
  const complete = pairs.every((pair): pair is readonly [string, string] => typeof pair[1] === 'string');
  return complete ? Object.fromEntries(pairs) : undefined;
}

/**
 * Passes the data points of a line in the embedded metric format to `add`. CloudWatch ignores any
 * other line, and so does this function.
 */
export function readEmbeddedMetrics(line: string, add: (metric: MetricId, value: number) => void): void {
  if (!line.includes(MARK)) return;
  const parsed = parse(line);
  for (const { Namespace: namespace, Dimensions, Metrics } of parsed?._aws.CloudWatchMetrics ?? [])
    for (const names of Dimensions) {
      const dimensions = dimensionsOf(parsed ?? {}, names);
      if (dimensions === undefined) continue;
      for (const { Name: name } of Metrics)
        for (const value of values.safeParse(parsed?.[name]).data ?? [])
          add({ namespace, name, dimensions }, value);
    }
}
