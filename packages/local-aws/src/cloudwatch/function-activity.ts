import type { InvocationObserver } from '../lambda/function-pool.ts';
import type { CloudWatch } from './create-cloudwatch.ts';

/** Counts the calls of a function since the start of the account. */
export interface FunctionCounts {
  readonly invocations: number;
  readonly errors: number;
  readonly throttles: number;
  /** In ms since the epoch. */
  readonly lastErrorMs: number | undefined;
}

/** Counts the invocations of all functions, for their metrics too. */
export interface FunctionActivity {
  /** Returns the observer of a function, whose versions count together. */
  readonly observer: (functionName: string) => InvocationObserver;
  countsOf(functionName: string): FunctionCounts;
  /** Forgets all other functions: they are deleted. */
  retain(functionNames: ReadonlySet<string>): void;
}

type Counts = { -readonly [Name in keyof FunctionCounts]: FunctionCounts[Name] };

const NAMES = ['Invocations', 'Errors', 'Throttles', 'Duration'] as const;

export function createFunctionActivity(
  { find }: Pick<CloudWatch, 'find'>,
  now: () => number,
): FunctionActivity {
  const all = new Map<string, Counts>();

  function countsOf(name: string): Counts {
    const counts = all.get(name) ?? { invocations: 0, errors: 0, throttles: 0, lastErrorMs: undefined };
    all.set(name, counts);
    return counts;
  }

  return {
    observer: (functionName) => {
      const [invocations, errors, throttles, duration] = NAMES.map((name) =>
        find({ namespace: 'AWS/Lambda', name, dimensions: { FunctionName: functionName } }),
      );
      return {
        ran: (failed, durationMs) => {
          const counts = countsOf(functionName);
          counts.invocations += 1;
          invocations?.add(1);
          errors?.add(failed ? 1 : 0);
          throttles?.add(0);
          duration?.add(durationMs);
          if (!failed) return;
          counts.errors += 1;
          counts.lastErrorMs = now();
        },
        throttled: () => {
          countsOf(functionName).throttles += 1;
          throttles?.add(1);
        },
      };
    },
    countsOf,
    retain: (functionNames) => {
      for (const name of all.keys()) if (!functionNames.has(name)) all.delete(name);
    },
  };
}
