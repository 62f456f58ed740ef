import { HOUR_MS } from './index-levels.ts';
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

type Trails = readonly (readonly [trail: string, gathered: Gathered])[];

/** What is sealed and not indexed, by hour and trail. It follows from the seals alone. */
export interface Gathering {
  /** Adds what a seal names, whose interval begins at `from`. */
  add(from: number, entries: readonly SealEntry[]): void;
  /** Takes out what an index has; `sealedTo`: the end of the last seal before it. */
  take(trail: string, range: { readonly from: number; readonly to: number }, sealedTo: number): void;
  /** Replays a seal. */
  replay(statement: SealStatement): void;
  /** Forgets the hours before a time. */
  drop(before: number): void;
  /** The trails with records of an hour, in order, after one of them. */
  trails(hour: number, after?: string): Trails;
  /** Those that have at least so many records. */
  full(hour: number, least: number): Trails;
}

export function createGathering(): Gathering {
  const hours = new Map<number, Map<string, Gathered>>();

  function hourAt(time: number): Map<string, Gathered> {
    const hour = hourOf(time);
    const found = hours.get(hour) ?? new Map<string, Gathered>();
    hours.set(hour, found);
    return found;
  }

  const gathering: Gathering = {
    add(from, entries) {
      const hour = hourAt(from);
      for (const [trail, count, , shards] of entries) {
        const before = hour.get(trail) ?? { from: hourOf(from), count: 0, shards: 0 };
        // The last bit would make the number negative.
        const all = (before.shards | shards) >>> 0;
        hour.set(trail, { ...before, count: before.count + count, shards: all });
      }
    },

    take(trail, { from, to }, sealedTo) {
      const hour = hourAt(from);
      const before = hour.get(trail);
      if (before === undefined) return;
      const isAll = to === Math.min(sealedTo, hourOf(from) + HOUR_MS);
      hour.set(trail, isAll ? { from: to, count: 0, shards: 0 } : { ...before, from: to });
    },

    replay({ from, to, entries, indexes = [] }) {
      gathering.add(from, entries);
      for (const [trail, level, start, end] of indexes)
        if (level === 'part') gathering.take(trail, { from: start, to: end }, to);
    },

    drop(before) {
      for (const hour of hours.keys()) if (hour < before) hours.delete(hour);
    },

    trails: (hour, after = '') =>
      [...(hours.get(hour) ?? [])]
        .filter(([trail, { count }]) => count > 0 && trail > after)
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),

    full: (hour, least) => gathering.trails(hour).filter(([, { count }]) => count >= least),
  };
  return gathering;
}
