import type { Clock } from '../shared/clock.ts';

/** A record that is due. */
export interface DueRecord {
  /** The time from which it is due, in ms since the epoch. */
  readonly dueAt: number;
  /** Processes the record after reading it again. It is safe to run twice, even concurrently. */
  act(): Promise<void>;
}

/**
 * All kinds of due work, the most urgent first. Data that must not outlive its time comes first,
 * and calls to the slow control plane of Lambda come last. Metrics have these names.
 */
export const DUE_WORKS = [
  'cvc',
  'tokens',
  'applications',
  'sessions',
  'keys',
  'invocations',
  'reactors',
] as const;

export type DueWorkName = (typeof DUE_WORKS)[number];

/** One kind of due work. The index has only due records; within a batch, the oldest come first. */
export interface DueWork {
  readonly name: DueWorkName;
  due(now: number): AsyncIterable<readonly DueRecord[]>;
}

/** The result of one run for one kind of work. */
export interface SweepReport {
  readonly name: string;
  readonly done: number;
  readonly failed: number;
  /** Age of the oldest record that was due when the run began, in ms; 0 if none was. */
  readonly oldestDueMs: number;
  /** Whether the run ended before all work was done; the next run continues. */
  readonly isUnfinished: boolean;
  /**
   * True if not all due records could be read. This kind waits for the next run; the others
   * continue.
   */
  readonly isUnreadable: boolean;
}

export interface SweepDeps {
  readonly clock: Clock;
  /** The time at which the run must end, in ms since the epoch. */
  readonly deadline: number;
  /**
   * Called for every record that failed. It stays due, and the next run retries it. Also called if
   * records cannot be read.
   */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Records that are processed concurrently. Each makes one call at a time, and a client has 50
 * connections (src/adapters/aws/client-settings.ts).
 */
export const AT_ONCE = 48;

/** A shorter turn is not worth starting, in ms. */
const TURN_MIN_MS = 50;

/** Combines two reports of one kind of work in one run. */
const joined = (first: SweepReport, second: SweepReport): SweepReport => ({
  ...second,
  done: first.done + second.done,
  failed: first.failed + second.failed,
  oldestDueMs: first.oldestDueMs,
});

/**
 * Processes every kind of due work without starving any. In each round, an unfinished kind gets an
 * equal share of the time left, and later kinds get what it leaves. Reports are in the order of
 * `works`.
 */
export async function sweepAll(works: readonly DueWork[], deps: SweepDeps): Promise<readonly SweepReport[]> {
  const reports = new Map<DueWork, SweepReport>();
  for (let unfinished = works; unfinished.length > 0;) {
    let waiting = unfinished.length;
    for (const work of unfinished) {
      const left = Math.max(0, deps.deadline - deps.clock());
      const report = await sweep(work, { ...deps, deadline: deps.clock() + left / waiting });
      const before = reports.get(work);
      reports.set(work, before === undefined ? report : joined(before, report));
      waiting -= 1;
    }
    if (deps.deadline - deps.clock() < TURN_MIN_MS) break;
    unfinished = unfinished.filter((work) => reports.get(work)?.isUnfinished === true);
  }
  return works.flatMap((work) => reports.get(work) ?? []);
}

/**
 * Processes due records until there are none or the deadline passes. Runs may overlap, because
 * every act reads its record again. A slow record does not delay the others.
 */
export async function sweep(work: DueWork, deps: SweepDeps): Promise<SweepReport> {
  const now = deps.clock();
  let done = 0;
  let failed = 0;
  let oldest = now;
  let isUnfinished = false;
  let isUnreadable = false;
  const isOver = () => (isUnfinished ||= deps.clock() >= deps.deadline);

  /** Checks the deadline after each page too, since pages may be empty. */
  async function* dueRecords(): AsyncGenerator<DueRecord> {
    try {
      for await (const page of work.due(now)) {
        yield* page;
        if (isOver()) return;
      }
    } catch (error) {
      isUnreadable = true;
      deps.onFailure(error);
    }
  }

  const records = dueRecords();
  const worker = async (): Promise<void> => {
    for (let next = await records.next(); next.done !== true; next = await records.next()) {
      oldest = Math.min(oldest, next.value.dueAt);
      if (isOver()) return;
      try {
        await next.value.act();
        done += 1;
      } catch (error) {
        failed += 1;
        deps.onFailure(error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { name: work.name, done, failed, oldestDueMs: now - oldest, isUnfinished, isUnreadable };
}
