import type { Clock } from '../shared/clock.ts';
import { defined } from '../shared/defined.ts';
import {
  isPosition,
  isTrail,
  namedTokens,
  timeOfPosition,
  TRAIL_SHARDS,
  type AuditRecord,
} from '../audit/audit-record.ts';
import { hourOf, type Gathered, type Gathering } from './gathering.ts';
import { DAY_LATE_MS, DAY_MS, HOUR_MS, PART_INDEX_LIFETIME_MS, type IndexLevel } from './index-levels.ts';
import type { IndexStore } from './index-store.ts';
import { decodeContent } from '../audit/record-content.ts';
import { recordsInOrder } from './records-in-order.ts';
import type { IndexProgress, SealedIndex } from './seal.ts';
import { createIndexBuilder, saltOf, type TokenIndex } from './token-index.ts';
import { bytesOfName } from '../audit/token-reference.ts';
import type { TrailReader } from './trail-store.ts';

/** The sizes at which indexes are made and end. */
export interface IndexSizes {
  /** A trail with so many new records is indexed before its hour is over. */
  readonly full: number;
  /** An index has at most so many records, and entries, in addition to those of its last ms. */
  readonly most: number;
}

export interface IndexWorkDeps {
  readonly trail: TrailReader;
  readonly indexes: IndexStore;
  readonly clock: Clock;
  readonly onIndexingFailed: (error: unknown) => void;
  /** Without it, the sizes are {@link INDEX_SIZES}. */
  readonly indexSizes?: IndexSizes;
}

/**
 * A full trail makes 64 KB of entries. The largest index has 1.6 MB in one partition, which takes
 * 1,000 write units a second.
 */
export const INDEX_SIZES: IndexSizes = { full: 8_000, most: 200_000 };
/** Most indexes that one seal names. Its item has at most 400 KB. */
const MAX_INDEXES = 1_000;
const PARTS_AT_ONCE = 8;

const PART_SECONDS = PART_INDEX_LIFETIME_MS / 1000;
/** The longest retention that the settings allow. After tampering, the value may be anything. */
const MAX_RETENTION_SECONDS = 3_650 * 24 * 60 * 60;

const ALL_SHARDS = 2 ** TRAIL_SHARDS - 1;

/** Lists the numbers of the shards that are in a set of bits. */
export const shardsIn = (bits: number): readonly number[] =>
  Array.from({ length: TRAIL_SHARDS }, (_, shard) => shard).filter((shard) => (bits >>> shard) & 1);

/**
 * The names of the tokens of a record. A record that was tampered with has none, which verify-audit
 * reports.
 */
function namesIn(record: AuditRecord): readonly Buffer[] {
  try {
    return namedTokens(decodeContent(record)).map(bytesOfName);
  } catch {
    return [];
  }
}

interface Range {
  readonly trail: string;
  readonly level: IndexLevel;
  readonly from: number;
  readonly to: number;
  /** A bit for each shard that has to be read. */
  readonly shards: number;
}

/**
 * An index of the records from the start of a range. It is absent if a day has no record that names
 * a token.
 */
interface Made {
  readonly index?: TokenIndex;
  readonly to: number;
}

/** Waits for all, so that nothing happens after a failure. Rejects with the first failure. */
async function allOf(work: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) if (result.status === 'rejected') throw result.reason;
}

/** The start of the day after a time, where the next index may start. */
const nextDay = (time: number): number => time - (time % DAY_MS) + DAY_MS;

/** Whether a time is the start of a day that was over long before another time. */
const isDayOver = (day: number, before: number): boolean =>
  day >= 0 && day % DAY_MS === 0 && day + DAY_MS + DAY_LATE_MS <= before;

/** The state of the indexes before the first one is made. */
export function firstProgress(from: number): IndexProgress {
  return { hours: { time: hourOf(from) }, days: { time: from - (from % DAY_MS) } };
}

/** For how long the oldest missing index could have been made, in ms. */
export function indexLag({ hours, days }: IndexProgress, sealedTo: number, now: number): number {
  const ends = [hours.time + HOUR_MS, days.time + DAY_MS + DAY_LATE_MS].filter((end) => end <= sealedTo);
  return Math.max(0, ...ends.map((end) => now - end));
}

/** The inputs of one piece of work, which changes `gathering` and `listed`. */
export interface IndexWorkInput {
  readonly gathering: Gathering;
  /** The trails of a day that are known to be listed. */
  readonly listed: Set<string>;
  readonly progress: IndexProgress;
  /** Hash of the seal that was the newest before the work. */
  readonly origin: Buffer;
  /** End of the sealed time, which includes the interval that is being sealed. */
  readonly sealedTo: number;
  /** No index is begun after this time, in ms since the epoch. */
  readonly until: number;
}

/** The state of making the indexes that are due. */
interface Work {
  readonly deps: IndexWorkDeps;
  readonly input: IndexWorkInput;
  readonly done: SealedIndex[];
  progress: IndexProgress;
}

function advance(work: Work, over: Partial<IndexProgress>): void {
  work.progress = { ...work.progress, ...over };
}

function isOver(work: Work): boolean {
  return work.done.length >= MAX_INDEXES || work.deps.clock() >= work.input.until;
}

async function makeIndex(work: Work, { trail, level, from, to, shards }: Range): Promise<Made> {
  const of = { trail, level, from };
  const builder = createIndexBuilder({ ...of, salt: saltOf(work.input.origin, of) });
  const reading = { trail, shards: shardsIn(shards), from, to };
  const { most } = work.deps.indexSizes ?? INDEX_SIZES;
  let count = 0;
  let last = from;
  let expires = 0;
  let end = to;
  reading: for await (const records of recordsInOrder(work.deps.trail, reading))
    for (const record of records) {
      if (!isPosition(record.position)) continue;
      const at = timeOfPosition(record.position);
      if (Math.max(count, builder.count) >= most && at > last) {
        end = at;
        break reading;
      }
      // The service cannot have written so many in one ms, so they are false and would cost time.
      if (builder.count < 2 * most) builder.add(namesIn(record), { at, shard: record.shard });
      [count, last] = [count + 1, at];
      if (Number.isSafeInteger(record.expires)) expires = Math.max(expires, record.expires);
    }
  // A part without entries still shows readers where the index ends.
  if (builder.count === 0 && level === 'day') return { to: end };
  const seconds = Math.floor(end / 1000);
  const expiry =
    level === 'part' ? seconds + PART_SECONDS : Math.min(expires, seconds + MAX_RETENTION_SECONDS);
  return { index: builder.build({ to: end, expires: expiry }), to: end };
}

/** Makes and stores one index. Returns its end, which may be before that of the range. */
async function writeIndex(work: Work, range: Range): Promise<number> {
  const { index, to } = await makeIndex(work, range);
  if (index === undefined) return to;
  await work.deps.indexes.insert(index);
  work.done.push([index.trail, index.level, index.from, index.to, index.hash]);
  return to;
}

/** Makes the parts of a trail up to a time. */
async function writeParts(work: Work, trail: string, { from, shards }: Gathered, end: number): Promise<void> {
  const { gathering, listed, sealedTo } = work.input;
  const day = from - (from % DAY_MS);
  const key = `${String(day)} ${trail}`;
  if (!listed.has(key)) await work.deps.indexes.list(day, trail);
  listed.add(key);
  for (let at = from; at < end && !isOver(work);) {
    const to = await writeIndex(work, { trail, level: 'part', from: at, to: end, shards });
    gathering.take(trail, { from: at, to }, sealedTo);
    at = to;
  }
}

/** Indexes trails with many records in an hour that is not over. */
async function indexFull(work: Work): Promise<void> {
  const { gathering, sealedTo } = work.input;
  const { full } = work.deps.indexSizes ?? INDEX_SIZES;
  for (const [trail, gathered] of gathering.full(hourOf(sealedTo - 1), full))
    if (!isOver(work)) await writeParts(work, trail, gathered, sealedTo);
}

/** Indexes the rest of hours that are over. */
async function indexHours(work: Work): Promise<void> {
  const { gathering, sealedTo } = work.input;
  for (let { hours } = work.progress; hours.time + HOUR_MS <= sealedTo; { hours } = work.progress) {
    const end = hours.time + HOUR_MS;
    const some = gathering.trails(hours.time, hours.trail).slice(0, PARTS_AT_ONCE);
    const last = some.at(-1)?.[0];
    if (last === undefined) {
      advance(work, { hours: { time: end } });
      gathering.drop(end);
      continue;
    }
    if (isOver(work)) return;
    await allOf(some.map(([trail, rest]) => writeParts(work, trail, rest, end)));
    // Trails for which the time is not enough are the first of the next run.
    if (isOver(work)) return;
    advance(work, { hours: { time: hours.time, trail: last } });
  }
}

/**
 * Makes the indexes of a trail's day from a time on, and records after each of them where to
 * continue. `undefined` means the end of the day.
 */
async function indexDay(
  work: Work,
  trail: string,
  day: number,
  start: number,
  note: (at?: number) => void,
): Promise<void> {
  const end = day + DAY_MS;
  for (let from = start; from < end && !isOver(work);) {
    from = await writeIndex(work, { trail, level: 'day', from, to: end, shards: ALL_SHARDS });
    note(from < end ? from : undefined);
  }
}

/** Indexes days that are long over, and whose hours are all indexed. */
async function indexDays(work: Work): Promise<void> {
  const { sealedTo, listed } = work.input;
  for (let { days } = work.progress; isDayOver(days.time, sealedTo); { days } = work.progress) {
    const { time, trail: last, at: start } = days;
    const make = (trail: string, from: number) =>
      indexDay(work, trail, time, from, (at) => advance(work, { days: { time, trail, ...defined({ at }) } }));
    if (last !== undefined && start !== undefined) await make(last, start);
    for await (const trails of work.deps.indexes.listed(time, last))
      for (const trail of trails) if (!isOver(work)) await make(trail, time);
    if (isOver(work)) return;
    advance(work, { days: { time: nextDay(time) } });
    for (const key of listed) if (Number(key.split(' ')[0]) <= time) listed.delete(key);
  }
}

/**
 * Makes days again that an operator asked for. A function that writes records could insert a
 * request, too. One of another time would make an index that hides later records, or a statement
 * that no reader accepts.
 */
async function indexAsked(work: Work): Promise<void> {
  const { sealedTo } = work.input;
  let { done } = work.progress.asked ?? {};
  const { begun } = work.progress.asked ?? {};
  // A request of the present may still be stored after one with a later key.
  for (const { id, trail, day } of await work.deps.indexes.asked(done, sealedTo)) {
    if (isOver(work)) return;
    if (isTrail(trail) && isDayOver(day, sealedTo))
      await indexDay(work, trail, day, begun?.id === id ? begun.at : day, (at) =>
        advance(work, {
          asked: at === undefined ? { done: id } : { ...defined({ done }), begun: { id, at } },
        }),
      );
    else advance(work, { asked: { done: id } });
    if (work.progress.asked?.done !== id) return;
    done = id;
  }
}

/** Makes as many of the indexes as the time allows, the most urgent first. */
async function indexAll(work: Work): Promise<void> {
  await indexHours(work);
  // Readers take the end of a trail's latest index for the end of what is indexed. So no part of
  // this hour may come before the rest of an earlier one.
  if (work.progress.hours.time + HOUR_MS <= work.input.sealedTo) return;
  await indexFull(work);
  // Days are many at once, and searches use their parts meanwhile.
  await indexDays(work);
  // Requests come last, since any function that writes records could insert them.
  await indexAsked(work);
}

/**
 * Makes indexes until the time is over, and reports how far they are. A failure ends only the
 * indexing.
 */
export async function makeIndexes(
  deps: IndexWorkDeps,
  input: IndexWorkInput,
): Promise<{ readonly indexes: readonly SealedIndex[]; readonly progress: IndexProgress }> {
  const work: Work = { deps, input, done: [], progress: input.progress };
  try {
    await indexAll(work);
  } catch (error) {
    deps.onIndexingFailed(error);
  }
  return { indexes: work.done, progress: work.progress };
}
