import type { PortEffects } from '../audit/effect.ts';
import type { IndexLevel } from './index-levels.ts';
import type { SealedIndex } from './seal.ts';
import type { IndexedPlace, IndexHeader, TokenIndex } from './token-index.ts';

/** Reads whole indexes, for verification. */
export interface IndexReader {
  /** Reads an index; `undefined` if its description is missing, or if one of its items is false. */
  readIndex(of: SealedIndex): Promise<TokenIndex | undefined>;
}

/** The stored description of an index. */
export interface StoredHeader extends IndexHeader {
  /** Distinguishes indexes of the same range. */
  readonly id: string;
  /** The entries, if they fit beside the description. */
  readonly entries?: Buffer;
}

/** Looks tokens up, with eventually consistent reads. */
export interface IndexPages {
  /** Descriptions of the indexes that end after a time, ordered by their ends. */
  headers(trail: string, level: IndexLevel, after: number): Promise<readonly StoredHeader[]>;
  /**
   * The newest places between two entries. There are at least `limit` of them if as many exist, and
   * all of the ms of the last one.
   */
  places(
    header: StoredHeader,
    bounds: readonly [Buffer, Buffer],
    limit: number,
  ): Promise<readonly IndexedPlace[]>;
}

/** An operator's request to write the index of a day again. */
export interface IndexRequest {
  /** Ids sort in the order of the requests. */
  readonly id: string;
  readonly trail: string;
  /** Start of the day that the request names, in ms since the epoch. */
  readonly day: number;
}

export interface IndexRequests {
  /** The sealer carries the requests out in its next runs. */
  ask(trail: string, days: readonly number[], now: number): Promise<void>;
}

export const INDEX_REQUESTS_EFFECTS: PortEffects<IndexRequests> = {
  ask: () => ({ change: { members: ['index'] } }),
};

/** Only the sealer writes these. */
export interface IndexStore {
  /** Adds an index. Readers find it as soon as all of it is stored. It may exist already. */
  insert(index: TokenIndex): Promise<void>;
  /** Adds a trail to those that have an index of a day. */
  list(day: number, trail: string): Promise<void>;
  /** The trails that are listed for a day, in order, after one of them. */
  listed(day: number, after: string | undefined): AsyncIterable<readonly string[]>;
  /** The first requests after one of them, made before a time (ms since the epoch). */
  asked(after: string | undefined, before: number): Promise<readonly IndexRequest[]>;
}
