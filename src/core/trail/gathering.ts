import { HOUR_MS } from './index-levels.ts';
import type { SealEntry, SealStatement } from './seal.ts';

/** The sealed records of a trail in an hour that no index has yet. */
export interface Gathered {
  /** The records begin at this time, in ms since the epoch. */
  readonly from: number;
  /** There are at most so many records. */
  readonly count: number;
  /** The shards that have records, one bit each. */
  readonly shards: number;
}

export const hourOf = (time: number): number => time - (time % HOUR_MS);

type Trails = readonly (readonly [trail: string, gathered: Gathered])[];

/** Everything that is sealed and not indexed, by hour and trail. The seals alone determine it. */
export interface Gathering {
  /** Adds the entries of a seal. Its interval begins at `from`. */
  add(from: number, entries: readonly SealEntry[]): void;
  /** Removes what an index has. `sealedTo` is the end of the last seal before it. */
  take(trail: string, range: { readonly from: number; readonly to: number }, sealedTo: number): void;
  /** Adds the records that a seal covers, and removes those that its indexes have. */
  replay(statement: SealStatement): void;
  /** Forgets the hours before a time. */
  drop(before: number): void;
  /** The trails that have records of an hour, in order, after one of them. */
  trails(hour: number, after?: string): Trails;
  /** Returns the trails that have at least so many records of an hour. */
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
