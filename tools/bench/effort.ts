/** The variable that `npm run bench -- --smoke` sets for its sections. */
export const SMOKE_VARIABLE = 'BENCH_SMOKE';

/**
 * Whether every section runs with the fewest repetitions, to show that it runs at all. Its times
 * have no meaning then; its counts do.
 */
export const IS_SMOKE = process.env[SMOKE_VARIABLE] !== undefined;

let isAsked = false;

/** How much a section measures: `full`, or in a smoke run `fewest`. */
export function effort<T>(full: T, fewest: T): T {
  isAsked = true;
  return IS_SMOKE ? fewest : full;
}

/** Whether this program takes any of its numbers from {@link effort}. */
export const hasSmokeForm = (): boolean => isAsked;
