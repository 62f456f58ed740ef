import { IS_SMOKE } from './effort.ts';
import type { Budget } from './section.ts';

/** Ratios of the same code scatter by up to a sixth from run to run. */
const NEAR = 0.15;
const RUNS = 5;

/** What was measured beside a reference, in one run. */
interface Measured {
  readonly ratio: number;
}

/** What one run found, or several: the one whose ratio is the median, and the ratios of all. */
export interface Runs<Found extends Measured> {
  readonly median: Found;
  readonly ratios: readonly number[];
}

/**
 * A ratio that is within 15 % of its limit, on either side, is measured five times, each in fresh
 * processes, and the median counts. For a ratio that is further from it, one run says enough.
 */
export async function repeatedNear<Found extends Measured>(
  limit: number,
  first: Found,
  again: () => Found | Promise<Found>,
): Promise<Runs<Found>> {
  const runs = [first];
  if (!IS_SMOKE && Math.abs(first.ratio / limit - 1) <= NEAR)
    while (runs.length < RUNS) runs.push(await again());
  const sorted = runs.toSorted((a, b) => a.ratio - b.ratio);
  return {
    median: sorted[Math.floor(sorted.length / 2)] ?? first,
    ratios: sorted.map(({ ratio }) => ratio),
  };
}

/** The row of a budget whose limit is so many times a reference. */
export function ratioBudget<Found extends Measured>(
  budget: string,
  limit: number,
  { median, ratios }: Runs<Found>,
  reference: (found: Found) => string,
): Budget {
  const range = [ratios[0] ?? NaN, ratios.at(-1) ?? NaN].map((ratio) => ratio.toFixed(2)).join(' to ');
  const runs = ratios.length === 1 ? '1 run' : `${String(ratios.length)} runs: ${range}`;
  return {
    budget,
    limit: `${String(limit)} times`,
    measured: `${median.ratio.toFixed(2)} times (${runs})`,
    reference: reference(median),
    isMet: median.ratio <= limit,
  };
}
