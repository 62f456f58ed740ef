/** A request to give a value another content. */
interface Change<T> {
  readonly value: T;
  readonly requestedAt: number;
  /** It is Infinity until the answer arrives. */
  answeredAt: number;
  /** Whether its answer said that it has happened. Otherwise it may have. */
  isDone: boolean;
}

/**
 * The history of one value that only one client changes, while others read it. A write is
 * conditional: it never happens after one that was requested later and acknowledged.
 */
export interface Register<T> {
  readonly request: (value: T) => {
    readonly done: () => void;
    readonly failed: () => void;
    /** The service has refused it: it never happens. */
    readonly refused: () => void;
  };
  /** All values that who reads between two times can see. */
  readonly possible: (from: number, to: number) => readonly T[];
  /** All values that were acknowledged. */
  readonly acknowledged: () => readonly T[];
}

export function createRegister<T>(first: T, now: () => number): Register<T> {
  const beginning = now();
  const changes = new Set<Change<T>>([
    { value: first, requestedAt: beginning, answeredAt: beginning, isDone: true },
  ]);

  const isReplaced = (one: Change<T>, before: number) =>
    [...changes].some(
      (other) =>
        other !== one && other.isDone && other.requestedAt >= one.answeredAt && other.answeredAt <= before,
    );
  return {
    request: (value) => {
      const change = { value, requestedAt: now(), answeredAt: Infinity, isDone: false };
      changes.add(change);
      return {
        done: () => {
          change.answeredAt = now();
          change.isDone = true;
        },
        failed: () => {
          change.answeredAt = now();
        },
        refused: () => {
          changes.delete(change);
        },
      };
    },
    possible: (from, to) => [
      ...new Set(
        [...changes]
          .filter((change) => change.requestedAt <= to && !isReplaced(change, from))
          .map(({ value }) => value),
      ),
    ],
    acknowledged: () => [...changes].filter(({ isDone }) => isDone).map(({ value }) => value),
  };
}
