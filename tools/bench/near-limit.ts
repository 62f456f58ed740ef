import { IS_SMOKE } from './effort.ts';
import type { Budget } from './section.ts';

/** Ratios of the same code scatter by up to a sixth from run to run. */
const NEAR = 0.15;
const RUNS = 3;

/** Values that one run measured beside a reference. */
interface Measured {
  readonly ratio: number;
}

/**
 * The values that one run found, or several: the one whose ratio is the median, and the ratios of
 * all.
 */
export interface Runs<Found> {
  readonly median: Found;
  readonly ratios: readonly number[];
}

/** Sorts results by one of their ratios. */
export function runsBy<Found>(found: readonly Found[], ratioOf: (each: Found) => number): Runs<Found> {
  const sorted = found.toSorted((a, b) => ratioOf(a) - ratioOf(b));
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('nothing was measured');
  return { median: middle, ratios: sorted.map(ratioOf) };
}

/** Whether a ratio is within 15 % of its limit, on either side. */
export const isNear = (ratio: number, limit: number): boolean => Math.abs(ratio / limit - 1) <= NEAR;

/**
 * A result near a limit is measured three times, each in fresh processes, and the median counts.
 * For one that is further from it, one run says enough.
 */
export async function repeatedIf<Found>(
  isClose: (first: Found) => boolean,
  first: Found,
  again: () => Found | Promise<Found>,
): Promise<readonly Found[]> {
  const runs = [first];
  if (!IS_SMOKE && isClose(first)) while (runs.length < RUNS) runs.push(await again());
  return runs;
}

/** {@link repeatedIf} of results with one ratio, which has a limit. */
export const repeatedNear = async <Found extends Measured>(
  limit: number,
  first: Found,
  again: () => Found | Promise<Found>,
): Promise<Runs<Found>> =>
  runsBy(await repeatedIf(({ ratio }) => isNear(ratio, limit), first, again), ({ ratio }) => ratio);

/** The row of a budget whose limit is so many times a reference. */
export function ratioBudget<Found>(
  budget: string,
  limit: number,
  { median, ratios }: Runs<Found>,
  reference: (found: Found) => string,
): Budget {
  const ratio = ratios[Math.floor(ratios.length / 2)] ?? NaN;
  const range = [ratios[0] ?? NaN, ratios.at(-1) ?? NaN].map((ratio) => ratio.toFixed(2)).join(' to ');
  const runs = ratios.length === 1 ? '1 run' : `${String(ratios.length)} runs: ${range}`;
  return {
    budget,
    limit: `${String(limit)} times`,
    measured: `${ratio.toFixed(2)} times (${runs})`,
    reference: reference(median),
    isMet: ratio <= limit,
  };
}
