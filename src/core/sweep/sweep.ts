import type { Clock } from '../shared/clock.ts';

/** A record whose time has come. */
export interface DueRecord {
  /** When it was due, in ms since the epoch. */
  readonly dueAt: number;
  /** Does what is due. Safe to run twice, also at once: it looks at the record again first. */
  act(): Promise<void>;
}

/**
 * Every kind of work that waits for its time, in the order of its urgency: what must not outlive
 * its time comes first, and last what asks the slow control plane of Lambda. Metrics carry these
 * names.
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

/**
 * One kind of work that waits for its time. Records come oldest first within a batch, from an index
 * that holds nothing else.
 */
export interface DueWork {
  readonly name: DueWorkName;
  due(now: number): AsyncIterable<readonly DueRecord[]>;
}

/** What one run did. */
export interface SweepReport {
  readonly name: string;
  readonly done: number;
  readonly failed: number;
  /** Age of the oldest record that was due when the run began, in ms; 0 if none was. */
  readonly oldestDueMs: number;
  /** Whether the run ended before the work did; the next run goes on. */
  readonly isUnfinished: boolean;
  /**
   * What is due could not be read to the end. This kind waits for the next run; the others go on.
   */
  readonly isUnreadable: boolean;
}

export interface SweepDeps {
  readonly clock: Clock;
  /** When the run must end, in ms since the epoch. */
  readonly deadline: number;
  /**
   * Called for every record that failed: it stays due, and the next run tries it again. Also if
   * records cannot be read.
   */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Records that are worked on at once: a call each, and a client has 50 connections
 * (src/adapters/aws/client-settings.ts).
 */
export const AT_ONCE = 48;

/** Shorter than this a turn does no good, in ms. */
const TURN_MIN_MS = 50;

/** Two reports of one kind of work in one run. */
const joined = (first: SweepReport, second: SweepReport): SweepReport => ({
  ...second,
  done: first.done + second.done,
  failed: first.failed + second.failed,
  oldestDueMs: first.oldestDueMs,
});

/**
 * Works through every kind of what is due, none at the cost of the others: in each round a kind
 * that is not done yet gets an equal share of the time that is left, and what one does not need
 * goes to those after it. Reports are in the order of the works.
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
 * Works through what is due, until nothing is or the deadline comes. Several runs may overlap:
 * every act looks at its record again, so the worst that happens is a look too many. A slow record
 * does not delay the others.
 */
export async function sweep(work: DueWork, deps: SweepDeps): Promise<SweepReport> {
  const now = deps.clock();
  let [done, failed, oldest, isUnfinished, isUnreadable] = [0, 0, now, false, false];
  const isOver = () => (isUnfinished ||= deps.clock() >= deps.deadline);

  /** Ends with the time also where page after page holds nothing of this kind. */
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
