import type { FunctionKills } from '../lambda/function-instance.ts';
import type { Fault } from './fault.ts';
import type { Random } from './seeded-random.ts';

/** Applies until the first run of a function has ended. */
const ASSUMED_MS = 50;
/** Determines how much the last run changes the average. */
const WEIGHT = 0.2;

/**
 * Kills by the faults of `function`. A kill happens at any time of a usual run. A faster run loses
 * its response, as if the instance died right after its work.
 */
export function functionKills(faults: () => readonly Fault[], random: Random): FunctionKills {
  const usualMs = new Map<string, number>();

  function isKilled(functionName: string): boolean {
    return faults()
      .filter(
        ({ service, only }) => service === 'function' && (only === undefined || functionName.includes(only)),
      )
      .some(({ value }) => random() < value);
  }

  return {
    deathAfter: (functionName) =>
      isKilled(functionName) ? random() * (usualMs.get(functionName) ?? ASSUMED_MS) : undefined,
    ended: (functionName, durationMs) => {
      const before = usualMs.get(functionName) ?? durationMs;
      usualMs.set(functionName, before + WEIGHT * (durationMs - before));
    },
  };
}
