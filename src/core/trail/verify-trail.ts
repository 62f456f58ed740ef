import pLimit from 'p-limit';
import { DEPLOYMENT } from '../audit/audit-record.ts';
import { checkIndex, type NamedIndex } from './index-check.ts';
import { END_OF_TIME } from './seal.ts';
import { intervalsOf } from './seal-chain.ts';
import type { BrokenLink, Broken } from './seal-link.ts';
import type { Interval } from './group-intervals.ts';
import { ALL_SHARDS, sealedRange, walkTrail } from './trail-walk.ts';
import { createVerification, type Checked, type Verification, type VerifyDeps } from './verification.ts';

export interface VerifyInput extends VerifyCursor {
  /**
   * `complete` walks every partition, sealed or not. `sealed` walks the partitions that the seals
   * name, so that a trail without records costs nothing.
   */
  readonly coverage: 'complete' | 'sealed';
  /**
   * If absent, every trail that a seal of the range names, and for `complete` also {@link tenants}.
   */
  readonly trails?: readonly string[];
  /** Trails that no seal may name yet, which `complete` also walks. */
  readonly tenants?: readonly string[];
  /** Whether to check that indexes lead to the records of their range. */
  readonly indexContents?: boolean;
  /** In ms since the epoch. Intervals that the range cuts are verified whole. */
  readonly to: number;
  /** The step ends at this time if it has verified anything. */
  readonly deadline: number;
}

/** Where a step begins. Times are in ms since the epoch. */
export interface VerifyCursor {
  readonly from: number;
  /** Present if the last step began a chunk of intervals and did not finish it. */
  readonly chunk?: OpenChunk | undefined;
}

/** A chunk of intervals, of which some trails are verified. */
export interface OpenChunk {
  /** The end of its last interval. */
  readonly to: number;
  /** The last trail that was begun, in the order of trails. */
  readonly after: string;
  /**
   * The trails up to `after` that are not finished, each with the interval at which it continues.
   */
  readonly open: readonly (readonly [trail: string, from: number])[];
}

export interface Verified {
  readonly checked: Checked;
  /** Where to continue; absent at the end of the range. */
  readonly next?: VerifyCursor;
  /** The end of the last seal that was read; absent if none was. */
  readonly sealedTo?: number;
  /** Counts all failures, also those that `broken` leaves out. */
  readonly failures: number;
  /** The first `MAX_FAILURES` failures, ordered by time. */
  readonly broken: readonly Broken[];
}

const TRAILS_AT_ONCE = 8;
/** Most intervals of a chunk. Their seals have at most so many entries and indexes in memory. */
const MAX_INTERVALS = 1_440;
const MAX_ENTRIES = 200_000;

interface Chunk {
  readonly intervals: readonly Interval[];
  readonly isLast: boolean;
}

/**
 * The intervals that a walk reads. A `sealed` walk leaves out the time after the last seal. A chunk
 * that is begun now and finished later must not include what is sealed meanwhile.
 */
const readBy = (coverage: VerifyInput['coverage'], intervals: readonly Interval[]): readonly Interval[] =>
  coverage === 'complete' ? intervals : intervals.filter(({ name }) => name !== 'not sealed yet');

/** Reads the next intervals, and reports the failures of the chain on the way. */
async function nextChunk(
  step: Verification,
  intervals: AsyncIterator<Interval | BrokenLink>,
): Promise<Chunk> {
  const chunk: Interval[] = [];
  for (let entries = 0; chunk.length < MAX_INTERVALS && entries < MAX_ENTRIES;) {
    const next = await intervals.next();
    if (next.done === true) return { intervals: chunk, isLast: true };
    const { value } = next;
    if ('broken' in value) step.findings.add({ time: value.at, rank: 0, broken: value.broken });
    else {
      chunk.push(value);
      entries += value.entries.size + value.indexes.length;
    }
  }
  return { intervals: chunk, isLast: false };
}

/** The intervals of a chunk whose chain an earlier step has checked. */
async function chunkAgain(deps: VerifyDeps, from: number, to: number): Promise<readonly Interval[]> {
  const chunk: Interval[] = [];
  for await (const value of intervalsOf(deps, from, to)) if (!('broken' in value)) chunk.push(value);
  return chunk;
}

/** The work that is left in a chunk of intervals. */
interface ChunkWork {
  readonly step: Verification;
  readonly input: VerifyInput;
  /** The intervals whose records are read. */
  readonly live: readonly Interval[];
  readonly indexesByTrail: ReadonlyMap<string, readonly NamedIndex[]>;
  readonly trails: readonly string[];
}

function indexesByTrail(intervals: readonly Interval[]): ReadonlyMap<string, readonly NamedIndex[]> {
  const named = new Map<string, NamedIndex[]>();
  for (const interval of intervals)
    for (const sealed of interval.indexes) {
      const ofTrail = named.get(sealed[0]) ?? [];
      named.set(sealed[0], ofTrail);
      ofTrail.push({ interval, sealed });
    }
  return named;
}

function chunkWork(step: Verification, input: VerifyInput, intervals: readonly Interval[]): ChunkWork {
  const isRead = (interval: Interval) => input.coverage === 'complete' || interval.seals > 0;
  const live = intervals.filter((interval) => isRead(interval) && !step.isExpired(interval));
  const indexes = indexesByTrail(intervals);
  const sealed = live.flatMap(({ entries }) => [...entries.keys()]);
  const unsealed = input.coverage === 'complete' ? [DEPLOYMENT, ...(input.tenants ?? [])] : [];
  const all = input.trails ?? [...unsealed, ...sealed, ...indexes.keys()];
  return { step, input, live, indexesByTrail: indexes, trails: [...new Set(all)].toSorted() };
}

/** Verifies a trail in a chunk, from an interval on if an earlier step has begun it. */
async function verifyTrail(
  work: ChunkWork,
  trail: string,
  from: number | undefined,
): Promise<number | undefined> {
  const { step, live } = work;
  const { coverage, indexContents = false, deadline } = work.input;
  if (from === undefined)
    for (const named of work.indexesByTrail.get(trail) ?? []) await checkIndex(step, named, indexContents);
  const left = live.filter((interval) => from === undefined || interval.from >= from);
  const range = coverage === 'complete' ? { intervals: left, shards: ALL_SHARDS } : sealedRange(trail, left);
  return walkTrail(step, { trail, ...range }, deadline);
}

/**
 * Verifies as much of a chunk as the time allows, at least one interval of one trail. Returns the
 * trails that are left; `undefined` if there are none.
 */
async function verifyChunk(
  work: ChunkWork,
  before: OpenChunk | undefined,
): Promise<Pick<OpenChunk, 'after' | 'open'> | undefined> {
  const { step, input } = work;
  const resumed: (readonly [string, number?])[] = [...(before?.open ?? [])];
  const fresh = work.trails.filter((trail) => before === undefined || trail > before.after);
  const left = [...resumed, ...fresh.map((trail): readonly [string, number?] => [trail])];
  const open: [string, number][] = [];
  let begun = 0;
  let isOver = false;
  const limit = pLimit(TRAILS_AT_ONCE);
  const walks = left.map(([trail, from], at) =>
    limit(async () => {
      // Trails begin in this order. The clock may go back.
      isOver ||= at > 0 && step.deps.clock() >= input.deadline;
      if (isOver) return;
      begun = at + 1;
      const next = await verifyTrail(work, trail, from);
      if (next !== undefined) open.push([trail, next]);
    }),
  );
  try {
    await Promise.all(walks);
  } finally {
    limit.clearQueue();
  }
  await step.lookUpIds();
  const notBegun = left.slice(begun);
  if (open.length === 0 && notBegun.length === 0) return undefined;
  const after = left.slice(resumed.length, begun).at(-1)?.[0] ?? before?.after ?? '';
  const waiting = notBegun.flatMap(([trail, from]) => (from === undefined ? [] : [[trail, from] as const]));
  return { after, open: [...open, ...waiting] };
}

/** A step that runs, and the end of the last seal that it has read. */
interface RunningStep {
  readonly step: Verification;
  readonly input: VerifyInput;
  sealedTo: number | undefined;
}

/** Verifies intervals. Returns where to continue if the time is over before their end. */
async function verifyIntervals(
  progress: RunningStep,
  intervals: readonly Interval[],
  from: number,
  before?: OpenChunk,
): Promise<VerifyCursor | undefined> {
  const { step, input } = progress;
  progress.sealedTo = intervals.findLast(({ seals }) => seals > 0)?.to ?? progress.sealedTo;
  const read = readBy(input.coverage, intervals);
  const left = await verifyChunk(chunkWork(step, input, read), before);
  const to = before?.to ?? read.at(-1)?.to ?? Math.min(input.to, END_OF_TIME);
  return left && { from, chunk: { to, ...left } };
}

/** Verifies the intervals from a time on, chunk by chunk. Returns where to continue. */
async function verifyFrom(
  progress: RunningStep,
  start: number,
  to: number,
): Promise<VerifyCursor | undefined> {
  const { step, input } = progress;
  const intervals = intervalsOf(step.deps, start, to);
  let from = start;
  try {
    for (;;) {
      const { intervals: some, isLast } = await nextChunk(step, intervals);
      step.checked.seals += some.reduce((sum, { seals }) => sum + seals, 0);
      step.checked.expired += some.filter((interval) => step.isExpired(interval)).length;
      const next = await verifyIntervals(progress, some, from);
      if (next !== undefined) return next;
      from = some.at(-1)?.to ?? to;
      if (isLast || from >= to) return undefined;
      if (step.deps.clock() >= input.deadline) return { from };
    }
  } finally {
    await intervals.return(undefined);
  }
}

/** Verifies the rest of the range. Returns where to continue. */
async function verifyRange(progress: RunningStep): Promise<VerifyCursor | undefined> {
  const { step, input } = progress;
  const to = Math.min(input.to, END_OF_TIME);
  const { from, chunk } = input;
  if (chunk === undefined) return from < to ? verifyFrom(progress, from, to) : undefined;
  const next = await verifyIntervals(progress, await chunkAgain(step.deps, from, chunk.to), from, chunk);
  if (next !== undefined || chunk.to >= to) return next;
  if (step.deps.clock() >= input.deadline) return { from: chunk.to };
  return verifyFrom(progress, chunk.to, to);
}

/**
 * Verifies as much of a range as the time allows, at least one interval of one trail
 * (docs/verify-the-trail.md#verify-audit). A failure does not end it, because another one may
 * follow. The head may be one seal behind, as a sealer that died leaves it.
 */
export async function verifyStep(deps: VerifyDeps, input: VerifyInput): Promise<Verified> {
  const progress: RunningStep = { step: createVerification(deps), input, sealedTo: undefined };
  const next = await verifyRange(progress);
  const { step, sealedTo } = progress;
  return {
    checked: step.checked,
    failures: step.findings.count,
    broken: step.findings.first(),
    ...(sealedTo !== undefined && { sealedTo }),
    ...(next !== undefined && { next }),
  };
}
