import type { Clock } from '../shared/clock.ts';

/**
 * The probes of a health check. Each reads one value from one part of the deployment, and rejects
 * if that part is down.
 */
export interface HealthDeps {
  readonly clock: Clock;
  /**
   * The due time of the oldest due record of each table, in ms since the epoch; `undefined` if none
   * is due.
   */
  readonly oldestDue: Readonly<Record<string, () => Promise<number | undefined>>>;
  /** Counts the messages of each queue. */
  readonly waiting: Readonly<Record<string, () => Promise<number>>>;
  readonly parkedDeliveries: () => Promise<number>;
  /** Counts the reactors that start cold because of the account's concurrency quota. */
  readonly coldReactors: () => Promise<number>;
  /** Counts the reactors with another layer than that of the deployment. */
  readonly outdatedReactors: () => Promise<number>;
}

export interface Health {
  /**
   * How many seconds the oldest due record of each table has been due; `null` if the table cannot
   * be read.
   */
  readonly overdueSeconds: Readonly<Record<string, number | null>>;
  /** The number of messages of each queue; `null` if the queue cannot be read. */
  readonly waiting: Readonly<Record<string, number | null>>;
  readonly parkedDeliveries: number | null;
  readonly coldReactors: number | null;
  readonly outdatedReactors: number | null;
  /** True if nothing is overdue by more than five minutes, and every part responds. */
  readonly isHealthy: boolean;
}

const OVERDUE_SECONDS = 300;

async function orNull<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch {
    return null;
  }
}

async function askAll<T>(
  asked: Readonly<Record<string, () => Promise<T>>>,
): Promise<Readonly<Record<string, T | null>>> {
  const entries = Object.entries(asked).map(async ([name, ask]) => [name, await orNull(ask)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Reads the state of every part, and reports a part that is down instead of rejecting. */
export async function health({
  clock,
  oldestDue,
  waiting,
  parkedDeliveries,
  coldReactors,
  outdatedReactors,
}: HealthDeps): Promise<Health> {
  const now = clock();
  const overdue = Object.fromEntries(
    Object.entries(oldestDue).map(([name, ask]) => [
      name,
      async () => Math.max(0, Math.round((now - ((await ask()) ?? now)) / 1000)),
    ]),
  );
  const [overdueSeconds, depths, parked, cold, outdated] = await Promise.all([
    askAll(overdue),
    askAll(waiting),
    orNull(parkedDeliveries),
    orNull(coldReactors),
    orNull(outdatedReactors),
  ]);
  const isAnswered = [
    ...Object.values(overdueSeconds),
    ...Object.values(depths),
    parked,
    cold,
    outdated,
  ].every((value) => value !== null);
  const isOnTime = Object.values(overdueSeconds).every((seconds) => (seconds ?? 0) <= OVERDUE_SECONDS);
  return {
    overdueSeconds,
    waiting: depths,
    parkedDeliveries: parked,
    coldReactors: cold,
    outdatedReactors: outdated,
    isHealthy: isAnswered && isOnTime,
  };
}
