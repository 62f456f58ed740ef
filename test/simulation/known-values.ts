/**
 * How long a request that failed can still take effect, in ms after its answer: the longest way of
 * a slow call (calls.ts), and a clock that is behind.
 */
export const SETTLED_AFTER_MS = 10_000;

/**
 * A caller's knowledge of one value that only it changes. A change without a clear answer may have
 * happened, may happen within {@link SETTLED_AFTER_MS}, or never does.
 */
export interface KnownValue<T> {
  /** A change was requested. `isDone` when its answer said so. */
  readonly request: (value: T) => { readonly done: () => void; readonly failed: () => void };
  /** Whether this value can be the current one; from then on it is. */
  readonly sees: (value: T) => boolean;
  /** All values that can be the current one. */
  readonly possible: () => readonly T[];
}

export function knownValue<T>(first: T, now: () => number): KnownValue<T> {
  /** Each with the time until which it may still take effect. */
  let current = new Set<T>([first]);
  const pending = new Map<T, number>();

  const isPending = (value: T) => (pending.get(value) ?? 0) > now();
  return {
    request: (value) => {
      pending.set(value, Infinity);
      return {
        done: () => {
          // A change that was acknowledged excludes those that were requested before.
          pending.clear();
          current = new Set([value]);
        },
        failed: () => {
          pending.set(value, now() + SETTLED_AFTER_MS);
          current.add(value);
        },
      };
    },
    sees: (value) => {
      if (!current.has(value)) return false;
      current = new Set([value, ...[...current].filter(isPending)]);
      return true;
    },
    possible: () => [...current],
  };
}
