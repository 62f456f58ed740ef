import type { Clock } from '../shared/clock.ts';

/**
 * What an operator looks at first. Each asks one thing of one part of the deployment; a part that
 * is down rejects.
 */
export interface HealthDeps {
  readonly clock: Clock;
  /**
   * When the oldest record of each table was due, in ms since the epoch; `undefined` if none is.
   */
  readonly oldestDue: Readonly<Record<string, () => Promise<number | undefined>>>;
  /** Messages in each queue. */
  readonly waiting: Readonly<Record<string, () => Promise<number>>>;
  readonly parkedDeliveries: () => Promise<number>;
  /** Reactors that the account's quota of concurrency leaves cold. */
  readonly coldReactors: () => Promise<number>;
}

export interface Health {
  /**
   * By table: for how many seconds its oldest due record has been due; `null` if the table cannot
   * be asked.
   */
  readonly overdueSeconds: Readonly<Record<string, number | null>>;
  /** By queue: its messages; `null` if it cannot be asked. */
  readonly waiting: Readonly<Record<string, number | null>>;
  readonly parkedDeliveries: number | null;
  readonly coldReactors: number | null;
  /** Nothing is overdue by more than five minutes, and everything answers. */
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

async function answers<T>(
  asked: Readonly<Record<string, () => Promise<T>>>,
): Promise<Readonly<Record<string, T | null>>> {
  const entries = Object.entries(asked).map(async ([name, ask]) => [name, await orNull(ask)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** How the deployment is at this moment. */
export async function health({
  clock,
  oldestDue,
  waiting,
  parkedDeliveries,
  coldReactors,
}: HealthDeps): Promise<Health> {
  const now = clock();
  const overdue = Object.fromEntries(
    Object.entries(oldestDue).map(([name, ask]) => [
      name,
      async () => Math.max(0, Math.round((now - ((await ask()) ?? now)) / 1000)),
    ]),
  );
  const [overdueSeconds, depths, parked, cold] = await Promise.all([
    answers(overdue),
    answers(waiting),
    orNull(parkedDeliveries),
    orNull(coldReactors),
  ]);
  const isAnswered = [...Object.values(overdueSeconds), ...Object.values(depths), parked, cold].every(
    (value) => value !== null,
  );
  const isOnTime = Object.values(overdueSeconds).every((seconds) => (seconds ?? 0) <= OVERDUE_SECONDS);
  return {
    overdueSeconds,
    waiting: depths,
    parkedDeliveries: parked,
    coldReactors: cold,
    isHealthy: isAnswered && isOnTime,
  };
}
