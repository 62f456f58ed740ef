/** One request: when it ended since the start, how long it took, and whether it failed. */
export interface Sample {
  readonly operation: string;
  readonly atMs: number;
  readonly milliseconds: number;
  readonly isError: boolean;
}

/** The memory that the service uses at a moment. */
export interface MemorySample {
  readonly atMs: number;
  /** MB (10^6 bytes) that the service's process has resident. */
  readonly serviceMegabytes: number;
  /** MB that all processes of reactors have resident together. */
  readonly reactorsMegabytes: number;
}

/** The value below which a share of sorted values lies (nearest rank). */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

export interface Summary {
  readonly operation: string;
  readonly count: number;
  readonly errors: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

function summaryOf(operation: string, samples: readonly Sample[], seconds: number): Summary {
  const sorted = samples.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
  return {
    operation,
    count: samples.length,
    errors: samples.filter(({ isError }) => isError).length,
    perSecond: samples.length / seconds,
    p50: percentile(sorted, 0.5),
    p90: percentile(sorted, 0.9),
    p99: percentile(sorted, 0.99),
    max: sorted.at(-1) ?? 0,
  };
}

/** Summarizes each operation by itself, the most frequent first, and then all of them. */
export function summarize(samples: readonly Sample[], seconds: number): readonly Summary[] {
  const byOperation = Map.groupBy(samples, ({ operation }) => operation);
  const each = [...byOperation].map(([operation, own]) => summaryOf(operation, own, seconds));
  return [...each.toSorted((a, b) => b.count - a.count), summaryOf('all', samples, seconds)];
}
