import type { Fault } from './fault.ts';
import type { Random } from './seeded-random.ts';

/** Decides which invocations of functions die, and when. */
export interface FunctionKills {
  /** How long after its beginning an invocation dies, in ms; undefined if it may live. */
  deathAfter(functionName: string): number | undefined;
  /**
   * Told how long an invocation took that was not killed, so that deaths fall into the time that
   * runs really take.
   */
  ended(functionName: string, durationMs: number): void;
}

/** Before the first run of a function has ended. */
const ASSUMED_MS = 50;
/** How much the last run counts. */
const WEIGHT = 0.2;

/**
 * Kills by the faults of `function`. A death falls anywhere in the time of a usual run; a run that
 * is done earlier loses its answer, as when the instance dies right after its work.
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
