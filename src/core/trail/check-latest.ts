import { MAX_INTERVAL_MS } from './seal.ts';
import type { Broken } from './seal-link.ts';
import type { VerifyDeps } from './verification.ts';
import { verifyStep, type OpenChunk, type Verified } from './verify-trail.ts';

/** An interval that has failures. Times are in ms since the epoch. */
export interface BrokenInterval {
  /** The time when the interval starts. */
  readonly from: number;
  readonly foundAt: number;
  readonly failures: number;
  /** The failure that was found first in the interval. */
  readonly first: Broken;
}

/** How far the check is. */
export interface CheckState {
  /** All seals before this time are verified, in ms since the epoch. */
  readonly to: number;
  /** Present if the last run ended within the intervals after it. */
  readonly chunk?: OpenChunk | undefined;
  /** Failures that were found and still count, in the order in which they were found. */
  readonly broken: readonly BrokenInterval[];
}

/** Stores how far the check is. One run at a time advances it. */
export interface CheckCursor {
  /** Reads how far the check is; `undefined` before the first run. */
  read(): Promise<{ readonly state: CheckState; readonly revision: number } | undefined>;
  /**
   * Replaces the state of a revision by the next revision. The revision is 0 if there is no state.
   * `false` if another run has replaced it.
   */
  save(state: CheckState, revision: number): Promise<boolean>;
}

export interface CheckLatestDeps extends VerifyDeps {
  readonly cursor: CheckCursor;
}

/** The report of a run. */
export interface LatestCheck {
  /** Whether the run has reached the newest seal. */
  readonly isFinished: boolean;
  /** The age of the oldest time that is not verified. */
  readonly lagMs: number;
  readonly seals: number;
  readonly records: number;
  /** Counts failures of this run, and earlier ones that still count. */
  readonly failures: number;
  /** The first failure that was found in each interval. */
  readonly broken: readonly Broken[];
  /** Why the run ended early. */
  readonly failed?: { readonly error: unknown };
}

/** Duration of a step, in ms. A run that dies loses one step. */
const STEP_MS = 20_000;
const FIRST_MS = 2 * 60 * 60_000;
/** How long an unrepaired failure counts, in ms. */
const VISIBLE_MS = 24 * 60 * 60_000;
/** Most intervals with failures that are stored. The last one also counts all others. */
const MAX_BROKEN = 20;
/** Intervals that were broken before take at most this part of a run: a quarter. */
const AGAIN_PART = 4;

/** The first run begins two hours before the newest seal. */
async function startOf({ seals, clock }: CheckLatestDeps, stored: CheckState | undefined) {
  const newest = await seals.newest();
  const start = { to: Math.max(0, (newest?.from ?? clock()) - FIRST_MS), broken: [] };
  if (stored === undefined) return start;
  // A check cannot have reached a time after the newest seal, so the seals or the cursor were
  // replaced.
  const isReached = newest === undefined || stored.to <= newest.from + MAX_INTERVAL_MS;
  return isReached ? stored : { ...start, broken: stored.broken };
}

/** Verifies broken intervals again, and returns those that still are. */
async function stillBroken(
  deps: CheckLatestDeps,
  before: readonly BrokenInterval[],
  deadline: number,
): Promise<readonly BrokenInterval[]> {
  const broken: BrokenInterval[] = [];
  for (const each of before) {
    const { from, foundAt, first } = each;
    if (deps.clock() >= foundAt + VISIBLE_MS) continue;
    // A failure of the chain itself may be about other seals than those of an interval.
    const isInterval = typeof first.interval !== 'string' && first.interval.to !== undefined;
    if (!isInterval || deps.clock() >= deadline) {
      broken.push(each);
      continue;
    }
    const verified = await verifyStep(deps, { coverage: 'sealed', from, to: from + 1, deadline });
    const found = verified.broken[0];
    if (verified.next !== undefined) broken.push(each);
    else if (found !== undefined) broken.push({ ...each, failures: verified.failures, first: found });
  }
  return broken;
}

/** Adds the failures of a step, by the interval in which they begin. */
function addFound(
  found: Map<number, BrokenInterval>,
  { failures, broken }: Verified,
  at: number,
  now: number,
) {
  for (const [index, first] of broken.entries()) {
    const from = typeof first.interval === 'string' ? at : first.interval.from;
    // The step counts more failures than it names. The last one that it names counts for them.
    const count = index < broken.length - 1 ? 1 : 1 + failures - broken.length;
    const last = found.size >= MAX_BROKEN ? [...found.values()].at(-1) : undefined;
    const known = found.get(from) ?? last;
    if (known === undefined) found.set(from, { from, foundAt: now, failures: count, first });
    else found.set(known.from, { ...known, failures: known.failures + count });
  }
}

/** Joins what was found before with what this run has found. */
function merged(
  before: readonly BrokenInterval[],
  found: ReadonlyMap<number, BrokenInterval>,
): readonly BrokenInterval[] {
  const since = new Map(before.map(({ from, foundAt }) => [from, foundAt]));
  const now = [...found.values()].map((each) => ({ ...each, foundAt: since.get(each.from) ?? each.foundAt }));
  return [...before.filter(({ from }) => !found.has(from)), ...now].slice(-MAX_BROKEN);
}

/** How far the check is after a step that began at a time. */
const stateAfter = (
  { next, sealedTo = 0 }: Verified,
  from: number,
  broken: readonly BrokenInterval[],
): CheckState => ({
  to: next?.from ?? Math.max(from, sealedTo),
  broken,
  ...(next && { chunk: next.chunk }),
});

/**
 * Verifies the seals since the last run, with the records, ids and indexes that they name. The next
 * run continues from the end of this one. Failures do not stop it: their intervals are verified
 * again in each run, and count until they are repaired or a day has passed.
 */
export async function checkLatest(deps: CheckLatestDeps, deadline: number): Promise<LatestCheck> {
  const began = deps.clock();
  const stored = await deps.cursor.read();
  let state: CheckState = await startOf(deps, stored?.state);
  let revision = stored?.revision ?? 0;
  let isFinished = false;
  let seals = 0;
  let records = 0;
  let failed: LatestCheck['failed'];
  try {
    const before = await stillBroken(deps, state.broken, began + (deadline - began) / AGAIN_PART);
    const found = new Map<number, BrokenInterval>();
    for (let isAlone = true; isAlone && !isFinished && deps.clock() < deadline;) {
      const { to: from, chunk } = state;
      const end = Math.min(deadline, deps.clock() + STEP_MS);
      const input = { coverage: 'sealed', from, chunk, to: Infinity, deadline: end } as const;
      const verified = await verifyStep(deps, input);
      const { checked, next } = verified;
      addFound(found, verified, from, deps.clock());
      [seals, records] = [seals + checked.seals, records + checked.records];
      isFinished = next === undefined;
      state = stateAfter(verified, from, merged(before, found));
      // Another run may have continued from the same state. Then its results count.
      isAlone = await deps.cursor.save(state, revision);
      revision += 1;
    }
  } catch (error) {
    failed = { error };
  }
  return {
    isFinished,
    seals,
    records,
    lagMs: deps.clock() - state.to,
    failures: state.broken.reduce((sum, { failures }) => sum + failures, 0),
    broken: state.broken.map(({ first }) => first),
    ...(failed && { failed }),
  };
}
