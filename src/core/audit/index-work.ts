import type { Clock } from '../shared/clock.ts';
import { isTrail, namedTokens, timeOfPosition, TRAIL_SHARDS, type AuditRecord } from './audit-record.ts';
import { hourOf, type Gathered, type Gathering } from './gathering.ts';
import { DAY_LATE_MS, DAY_MS, HOUR_MS, PART_INDEX_LIFETIME_MS, type IndexLevel } from './index-levels.ts';
import type { IndexStore } from './index-store.ts';
import { decodeContent } from './record-content.ts';
import { recordsInOrder } from './records-in-order.ts';
import type { IndexProgress, Progress, SealedIndex } from './seal.ts';
import { IndexBuilder, saltOf, type TokenIndex } from './token-index.ts';
import { bytesOfName } from './token-reference.ts';
import type { TrailReader } from './trail-store.ts';

export interface IndexWorkDeps {
  readonly trail: TrailReader;
  readonly indexes: IndexStore;
  readonly clock: Clock;
}

/** A trail is indexed before its hour is over when it has as many new records: 64 KB of entries. */
export const FULL_RECORDS = 8_000;
/** Most records of an index, with some more of its last ms. */
const MAX_RECORDS = 200_000;
/** Most indexes that one seal names: its item has at most 400 KB. */
const MAX_INDEXES = 1_000;
const PARTS_AT_ONCE = 8;

const PART_SECONDS = PART_INDEX_LIFETIME_MS / 1000;
/** The longest retention that the settings allow: after tampering, the value may be anything. */
const MAX_RETENTION_SECONDS = 3_650 * 24 * 60 * 60;

const ALL_SHARDS = 2 ** TRAIL_SHARDS - 1;

/** The numbers of the shards in a set of bits. */
export const shardsIn = (bits: number): readonly number[] =>
  Array.from({ length: TRAIL_SHARDS }, (_, shard) => shard).filter((shard) => (bits >>> shard) & 1);

/** The names of the tokens of a record. One that was tampered with has none; verify reports it. */
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
  /** A bit for each shard to be read. */
  readonly shards: number;
}

/** An index of the records from the start of a range; absent if a day has none to name. */
interface Made {
  readonly index?: TokenIndex;
  readonly to: number;
}

/** The first time in a day, or in a later one, that an index of it may start at. */
const nextDay = (time: number): number => time - (time % DAY_MS) + DAY_MS;

/** Whether a time is the start of a day that was over long before another time. */
const isDayOver = (day: number, before: number): boolean =>
  day >= 0 && day % DAY_MS === 0 && day + DAY_MS + DAY_LATE_MS <= before;

/** How far the indexes are before the first of them. */
export function firstProgress(from: number): IndexProgress {
  return { hours: { time: hourOf(from) }, days: { time: from - (from % DAY_MS) } };
}

/** How long the oldest index could have been made, in ms. */
export function indexLag({ hours, days }: IndexProgress, sealedTo: number, now: number): number {
  const ends = [hours.time + HOUR_MS, days.time + DAY_MS + DAY_LATE_MS].filter((end) => end <= sealedTo);
  return Math.max(0, ...ends.map((end) => now - end));
}

/** The inputs of one piece of work; it changes `gathering` and `listed`. */
export interface IndexWorkInput {
  readonly gathering: Gathering;
  /** The trails of a day that are known to be listed. */
  readonly listed: Set<string>;
  readonly progress: IndexProgress;
  /** Hash of the newest seal. */
  readonly origin: Buffer;
  /** End of the sealed time, the interval that is being sealed included. */
  readonly sealedTo: number;
  /** No index is begun after this time, in ms since the epoch. */
  readonly until: number;
}

/** Makes the indexes that are due, in the order of urgency, as many as the time allows. */
class IndexWork {
  readonly #deps: IndexWorkDeps;

  readonly #input: IndexWorkInput;

  readonly done: SealedIndex[] = [];

  constructor(deps: IndexWorkDeps, input: IndexWorkInput) {
    this.#deps = deps;
    this.#input = input;
  }

  get #isOver(): boolean {
    return this.done.length >= MAX_INDEXES || this.#deps.clock() >= this.#input.until;
  }

  async #make({ trail, level, from, to, shards }: Range): Promise<Made> {
    const of = { trail, level, from };
    const builder = new IndexBuilder({ ...of, salt: saltOf(this.#input.origin, of) });
    const reading = { trail, shards: shardsIn(shards), from, to };
    let [count, last, expires, end] = [0, from, 0, to];
    reading: for await (const records of recordsInOrder(this.#deps.trail, reading))
      for (const record of records) {
        const at = timeOfPosition(record.position);
        if (count >= MAX_RECORDS && at > last) {
          end = at;
          break reading;
        }
        builder.add(namesIn(record), { at, shard: record.shard });
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
  async #write(range: Range): Promise<number> {
    const { index, to } = await this.#make(range);
    if (index === undefined) return to;
    await this.#deps.indexes.insert(index);
    this.done.push([index.trail, index.level, index.from, index.to, index.hash]);
    return to;
  }

  async #writePart(trail: string, { from, shards }: Gathered, end: number): Promise<void> {
    const { gathering, listed, sealedTo } = this.#input;
    const day = from - (from % DAY_MS);
    const key = `${String(day)} ${trail}`;
    if (!listed.has(key)) await this.#deps.indexes.list(day, trail);
    listed.add(key);
    const to = await this.#write({ trail, level: 'part', from, to: end, shards });
    gathering.take(trail, { from, to }, sealedTo);
  }

  /** Trails with many records in an hour that is not over. */
  async #full(): Promise<void> {
    const { gathering, sealedTo } = this.#input;
    for (const [trail, gathered] of gathering.full(hourOf(sealedTo - 1), FULL_RECORDS)) {
      if (this.#isOver) return;
      await this.#writePart(trail, gathered, sealedTo);
    }
  }

  /** The rest of hours that are over. */
  async #hours(start: Progress): Promise<Progress> {
    const { gathering, sealedTo } = this.#input;
    let progress = start;
    while (progress.time + HOUR_MS <= sealedTo) {
      const hour = progress.time;
      for (;;) {
        const some = gathering.trails(hour, progress.trail).slice(0, PARTS_AT_ONCE);
        const last = some.at(-1)?.[0];
        if (last === undefined) break;
        if (this.#isOver) return progress;
        await Promise.all(some.map(([trail, rest]) => this.#writePart(trail, rest, hour + HOUR_MS)));
        // Those with too many records for one index are the first of the next step.
        if (gathering.trails(hour, progress.trail).some(([trail]) => trail <= last)) continue;
        progress = { time: hour, trail: last };
      }
      progress = { time: hour + HOUR_MS };
      gathering.drop(progress.time);
    }
    return progress;
  }

  /** The index of a trail's day from a time on. Returns where to go on; `undefined` at its end. */
  async #day(trail: string, day: number, start: number): Promise<number | undefined> {
    let from = start;
    while (from < day + DAY_MS) {
      if (this.#isOver) return from;
      from = await this.#write({ trail, level: 'day', from, to: day + DAY_MS, shards: ALL_SHARDS });
    }
    return undefined;
  }

  /** Days that are long over, and whose hours are all indexed. */
  async #days(start: Progress): Promise<Progress> {
    const { sealedTo, listed } = this.#input;
    let progress = start;
    while (progress.time + DAY_MS + DAY_LATE_MS <= sealedTo) {
      const { time: day, trail: last, at } = progress;
      if (last !== undefined && at !== undefined) {
        const next = await this.#day(last, day, at);
        if (next !== undefined) return { time: day, trail: last, at: next };
        progress = { time: day, trail: last };
      }
      for await (const trails of this.#deps.indexes.listed(day, last))
        for (const trail of trails) {
          const next = await this.#day(trail, day, day);
          if (next !== undefined) return { time: day, trail, at: next };
          progress = { time: day, trail };
        }
      if (this.#isOver) return progress;
      progress = { time: nextDay(day) };
      for (const key of listed) if (Number(key.split(' ')[0]) <= day) listed.delete(key);
    }
    return progress;
  }

  /**
   * Days that an operator wants to have made again. A function that writes records could insert a
   * request, too: one of another time would make an index that hides later records, or a statement
   * that no reader accepts.
   */
  async #asked(start: IndexProgress['asked']): Promise<IndexProgress['asked']> {
    let { done, at } = start ?? {};
    const { indexes, clock } = this.#deps;
    for (const { id, trail, day } of await indexes.asked(done, clock())) {
      if (!isTrail(trail) || !isDayOver(day, this.#input.sealedTo)) {
        [done, at] = [id, undefined];
        continue;
      }
      const next = await this.#day(trail, day, at ?? day);
      if (next !== undefined) return { ...(done !== undefined && { done }), at: next };
      [done, at] = [id, undefined];
    }
    return done === undefined ? undefined : { done };
  }

  async run(): Promise<IndexProgress> {
    const { hours, days, asked } = this.#input.progress;
    await this.#full();
    const progress = { hours: await this.#hours(hours), asked: await this.#asked(asked) };
    // The days last: they are many at once, and are searched through their parts meanwhile.
    const isBehind = progress.hours.time + HOUR_MS <= this.#input.sealedTo;
    const done = isBehind ? days : await this.#days(days);
    return {
      hours: progress.hours,
      days: done,
      ...(progress.asked !== undefined && { asked: progress.asked }),
    };
  }
}

/** Makes indexes until the time is over, and states how far they are. */
export async function makeIndexes(
  deps: IndexWorkDeps,
  input: IndexWorkInput,
): Promise<{ readonly indexes: readonly SealedIndex[]; readonly progress: IndexProgress }> {
  const work = new IndexWork(deps, input);
  const progress = await work.run();
  return { indexes: work.done, progress };
}
