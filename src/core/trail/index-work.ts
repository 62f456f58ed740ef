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

export interface IndexWorkDeps {
  readonly trail: TrailReader;
  readonly indexes: IndexStore;
  readonly clock: Clock;
  readonly onIndexingFailed: (error: unknown) => void;
}

/** A trail is indexed before its hour is over when it has as many new records: 64 KB of entries. */
export const FULL_RECORDS = 8_000;
/**
 * Most records of an index, and most entries, with those of its last ms: it is 1.6 MB in one
 * partition, which takes 1,000 write units a second.
 */
const MAX_ENTRIES = 200_000;
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

/** Waits for all, so that nothing happens after a failure. Rejects with the first one. */
async function allOf(work: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) if (result.status === 'rejected') throw result.reason;
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

  #progress: IndexProgress;

  constructor(deps: IndexWorkDeps, input: IndexWorkInput) {
    this.#deps = deps;
    this.#input = input;
    this.#progress = input.progress;
  }

  get progress(): IndexProgress {
    return this.#progress;
  }

  #advance(over: Partial<IndexProgress>): void {
    this.#progress = { ...this.#progress, ...over };
  }

  #isOver(): boolean {
    return this.done.length >= MAX_INDEXES || this.#deps.clock() >= this.#input.until;
  }

  async #make({ trail, level, from, to, shards }: Range): Promise<Made> {
    const of = { trail, level, from };
    const builder = createIndexBuilder({ ...of, salt: saltOf(this.#input.origin, of) });
    const reading = { trail, shards: shardsIn(shards), from, to };
    let [count, last, expires, end] = [0, from, 0, to];
    reading: for await (const records of recordsInOrder(this.#deps.trail, reading))
      for (const record of records) {
        if (!isPosition(record.position)) continue;
        const at = timeOfPosition(record.position);
        if (Math.max(count, builder.count) >= MAX_ENTRIES && at > last) {
          end = at;
          break reading;
        }
        // In one ms the service cannot have written as many: they are false, and would cost time.
        if (builder.count < 2 * MAX_ENTRIES) builder.add(namesIn(record), { at, shard: record.shard });
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

  /** Makes the parts of a trail up to a time. */
  async #writeParts(trail: string, { from, shards }: Gathered, end: number): Promise<void> {
    const { gathering, listed, sealedTo } = this.#input;
    const day = from - (from % DAY_MS);
    const key = `${String(day)} ${trail}`;
    if (!listed.has(key)) await this.#deps.indexes.list(day, trail);
    listed.add(key);
    for (let at = from; at < end && !this.#isOver();) {
      const to = await this.#write({ trail, level: 'part', from: at, to: end, shards });
      gathering.take(trail, { from: at, to }, sealedTo);
      at = to;
    }
  }

  /** Trails with many records in an hour that is not over. */
  async #full(): Promise<void> {
    const { gathering, sealedTo } = this.#input;
    for (const [trail, gathered] of gathering.full(hourOf(sealedTo - 1), FULL_RECORDS))
      if (!this.#isOver()) await this.#writeParts(trail, gathered, sealedTo);
  }

  /** The rest of hours that are over. */
  async #hours(): Promise<void> {
    const { gathering, sealedTo } = this.#input;
    for (let { hours } = this.#progress; hours.time + HOUR_MS <= sealedTo; { hours } = this.#progress) {
      const end = hours.time + HOUR_MS;
      const some = gathering.trails(hours.time, hours.trail).slice(0, PARTS_AT_ONCE);
      const last = some.at(-1)?.[0];
      if (last === undefined) {
        this.#advance({ hours: { time: end } });
        gathering.drop(end);
        continue;
      }
      if (this.#isOver()) return;
      await allOf(some.map(([trail, rest]) => this.#writeParts(trail, rest, end)));
      // Those that have more than the time allows are the first of the next run.
      if (this.#isOver()) return;
      this.#advance({ hours: { time: hours.time, trail: last } });
    }
  }

  /**
   * Makes the indexes of a trail's day from a time on, and notes after each where to go on:
   * `undefined` at the end of the day.
   */
  async #day(trail: string, day: number, start: number, note: (at?: number) => void): Promise<void> {
    const end = day + DAY_MS;
    for (let from = start; from < end && !this.#isOver();) {
      from = await this.#write({ trail, level: 'day', from, to: end, shards: ALL_SHARDS });
      note(from < end ? from : undefined);
    }
  }

  /** Days that are long over, and whose hours are all indexed. */
  async #days(): Promise<void> {
    const { sealedTo, listed } = this.#input;
    for (let { days } = this.#progress; isDayOver(days.time, sealedTo); { days } = this.#progress) {
      const { time, trail: last, at: start } = days;
      const make = (trail: string, from: number) =>
        this.#day(trail, time, from, (at) => this.#advance({ days: { time, trail, ...defined({ at }) } }));
      if (last !== undefined && start !== undefined) await make(last, start);
      for await (const trails of this.#deps.indexes.listed(time, last))
        for (const trail of trails) if (!this.#isOver()) await make(trail, time);
      if (this.#isOver()) return;
      this.#advance({ days: { time: nextDay(time) } });
      for (const key of listed) if (Number(key.split(' ')[0]) <= time) listed.delete(key);
    }
  }

  /**
   * Days that an operator wants to have made again. A function that writes records could insert a
   * request, too: one of another time would make an index that hides later records, or a statement
   * that no reader accepts.
   */
  async #asked(): Promise<void> {
    const { sealedTo } = this.#input;
    let { done } = this.#progress.asked ?? {};
    const { begun } = this.#progress.asked ?? {};
    // What is asked now may still be stored after something with a later key.
    for (const { id, trail, day } of await this.#deps.indexes.asked(done, sealedTo)) {
      if (this.#isOver()) return;
      if (isTrail(trail) && isDayOver(day, sealedTo))
        await this.#day(trail, day, begun?.id === id ? begun.at : day, (at) =>
          this.#advance({
            asked: at === undefined ? { done: id } : { ...defined({ done }), begun: { id, at } },
          }),
        );
      else this.#advance({ asked: { done: id } });
      if (this.#progress.asked?.done !== id) return;
      done = id;
    }
  }

  async run(): Promise<void> {
    await this.#hours();
    // Readers take a trail's latest index for the end of what is indexed: no part of this hour may
    // come before the rest of an earlier one.
    if (this.#progress.hours.time + HOUR_MS <= this.#input.sealedTo) return;
    await this.#full();
    // The days are many at once, and are searched through their parts meanwhile.
    await this.#days();
    // Last, since any function that writes records could insert requests.
    await this.#asked();
  }
}

/** Makes indexes until the time is over, and states how far they are. A failure ends only that. */
export async function makeIndexes(
  deps: IndexWorkDeps,
  input: IndexWorkInput,
): Promise<{ readonly indexes: readonly SealedIndex[]; readonly progress: IndexProgress }> {
  const work = new IndexWork(deps, input);
  try {
    await work.run();
  } catch (error) {
    deps.onIndexingFailed(error);
  }
  return { indexes: work.done, progress: work.progress };
}
