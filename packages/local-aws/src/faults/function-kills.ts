import type { Fault } from './fault.ts';
import type { Random } from './seeded-random.ts';

/** Decides which invocations of functions are killed, and when. */
export interface FunctionKills {
  /** How long after its beginning an invocation dies, in ms; undefined if it lives. */
  deathAfter(functionName: string): number | undefined;
  /**
   * Records the duration of an invocation that was not killed, so that kills happen within
   * realistic run times.
   */
  ended(functionName: string, durationMs: number): void;
}

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
