import { HOUR_MS, type IndexLevel } from './index-levels.ts';
import type { SealEntry, SealStatement } from './seal.ts';

/** The sealed records of a trail in an hour that no index has yet. */
export interface Gathered {
  /** They begin at this time, in ms since the epoch. */
  readonly from: number;
  /** At most so many. */
  readonly count: number;
  /** The shards that have them, one bit each. */
  readonly shards: number;
}

export const hourOf = (time: number): number => time - (time % HOUR_MS);

/** What is sealed and not indexed, by hour and trail. It follows from the seals alone. */
export class Gathering {
  readonly #hours = new Map<number, Map<string, Gathered>>();

  #hour(time: number): Map<string, Gathered> {
    const hour = hourOf(time);
    const found = this.#hours.get(hour) ?? new Map<string, Gathered>();
    this.#hours.set(hour, found);
    return found;
  }

  /** Adds what a seal names, whose interval begins at `from`. */
  add(from: number, entries: readonly SealEntry[]): void {
    const hour = this.#hour(from);
    for (const [trail, count, , shards] of entries) {
      const before = hour.get(trail) ?? { from: hourOf(from), count: 0, shards: 0 };
      // The last bit would make the number negative.
      const all = (before.shards | shards) >>> 0;
      hour.set(trail, { ...before, count: before.count + count, shards: all });
    }
  }

  /** Takes out what an index has; `sealedTo`: the end of the last seal before it. */
  take(trail: string, { from, to }: { readonly from: number; readonly to: number }, sealedTo: number): void {
    const hour = this.#hour(from);
    const before = hour.get(trail);
    if (before === undefined) return;
    if (to === Math.min(sealedTo, hourOf(from) + HOUR_MS)) hour.set(trail, { from: to, count: 0, shards: 0 });
    else hour.set(trail, { ...before, from: to });
  }

  /** Replays a seal. */
  replay({ from, to, entries, indexes = [] }: SealStatement): void {
    this.add(from, entries);
    const isPart = (level: IndexLevel) => level === 'part';
    for (const [trail, level, start, end] of indexes)
      if (isPart(level)) this.take(trail, { from: start, to: end }, to);
  }

  /** Forgets the hours before a time. */
  drop(before: number): void {
    for (const hour of this.#hours.keys()) if (hour < before) this.#hours.delete(hour);
  }

  /** The trails with records of an hour, in order, after one of them. */
  trails(hour: number, after = ''): readonly (readonly [string, Gathered])[] {
    return [...(this.#hours.get(hour) ?? [])]
      .filter(([trail, { count }]) => count > 0 && trail > after)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Those that have at least so many records. */
  full(hour: number, least: number): readonly (readonly [string, Gathered])[] {
    return this.trails(hour).filter(([, { count }]) => count >= least);
  }
}
