import { createHash } from 'node:crypto';
import { lengthPrefixed, TRAIL_SHARDS } from '../audit/audit-record.ts';
import { DAY_MS, type IndexLevel } from './index-levels.ts';

/*
 * An index leads from a token to its records. Its entries are sorted. Each has four bytes of the
 * salted hash of the token, then four bytes with the place of a record. Two tokens may have the
 * same hash, so readers ignore a record that does not name the token.
 */

export const ENTRY_BYTES = 8;
const HASH_BYTES = 4;
const SALT_BYTES = 16;
/** Most bytes of entries in an item, which has at most 4 KB with its key. They are 499 entries. */
export const ITEM_BYTES = 499 * ENTRY_BYTES;
/**
 * Most bytes of entries that are stored beside the description of an index, in one item of 4 KB.
 */
export const INLINE_BYTES = 480 * ENTRY_BYTES;

/**
 * The range and the salt that an index has. Times are in ms since the epoch, and `to` is exclusive.
 */
export interface IndexHeader {
  readonly trail: string;
  readonly level: IndexLevel;
  readonly from: number;
  readonly to: number;
  readonly salt: Buffer;
  /** The time when DynamoDB deletes it, in seconds since 1970. */
  readonly expires: number;
}

export interface TokenIndex extends IndexHeader {
  /** All entries, which are sorted. */
  readonly entries: Buffer;
  readonly hash: string;
}

/** Locates a record: its time in ms since the epoch, and its shard. */
export interface IndexedPlace {
  readonly at: number;
  readonly shard: number;
}

/** SHA-256 (base64url) over the range, the salt and all entries, by which a seal names an index. */
export function hashOfIndex(
  { trail, level, from, to, salt }: Omit<IndexHeader, 'expires'>,
  entries: Buffer,
): string {
  const parts = [trail, level, String(from), String(to), salt, entries];
  return createHash('sha256').update(lengthPrefixed(parts)).digest('base64url');
}

/**
 * The salt of an index. Its `origin` is the hash of the newest seal, whose signature is random, so
 * the caller who chooses an id cannot know its hash. An index that is written again gets the same
 * salt.
 */
export function saltOf(
  origin: Buffer,
  { trail, level, from }: Pick<IndexHeader, 'trail' | 'level' | 'from'>,
): Buffer {
  const parts = [origin, trail, level, String(from)];
  return createHash('sha256').update(lengthPrefixed(parts)).digest().subarray(0, SALT_BYTES);
}

/**
 * The hash that a token has in an index. `name` has the bytes of its name (`token-reference.ts`).
 */
export const hashInIndex = ({ salt }: Pick<IndexHeader, 'salt'>, name: Buffer): number =>
  createHash('sha256').update(salt).update(name).digest().readUInt32BE(0);

/**
 * A place as a number, which is higher for later ones. Throws a RangeError outside of the index.
 */
function placeNumber(from: number, { at, shard }: IndexedPlace): number {
  const offset = at - from;
  if (offset < 0 || offset >= DAY_MS) throw new RangeError('audit: not a place of this index');
  return offset * TRAIL_SHARDS + shard;
}

const placeOf = (from: number, place: number): IndexedPlace => ({
  at: from + Math.floor(place / TRAIL_SHARDS),
  shard: place % TRAIL_SHARDS,
});

/** Collects the entries of an index. */
export interface IndexBuilder {
  readonly count: number;
  /** Adds the tokens of a record, by the bytes of their names. */
  add(names: readonly Buffer[], place: IndexedPlace): void;
  build(end: Pick<IndexHeader, 'to' | 'expires'>): TokenIndex;
}

export function createIndexBuilder(of: Omit<IndexHeader, 'to' | 'expires'>): IndexBuilder {
  let all = new BigUint64Array(1_024);
  let count = 0;
  return {
    get count() {
      return count;
    },

    add(names, place) {
      const where = BigInt(placeNumber(of.from, place));
      for (const name of names) {
        if (count === all.length) {
          const larger = new BigUint64Array(2 * count);
          larger.set(all);
          all = larger;
        }
        all[count] = (BigInt(hashInIndex(of, name)) << 32n) | where;
        count += 1;
      }
    },

    build({ to, expires }) {
      const sorted = all.subarray(0, count).sort();
      const bytes = Buffer.alloc(count * ENTRY_BYTES);
      let length = 0;
      for (const [at, entry] of sorted.entries()) {
        // A token that several records of one ms and shard name has one entry.
        if (at > 0 && entry === sorted[at - 1]) continue;
        length = bytes.writeBigUInt64BE(entry, length);
      }
      const header = { ...of, to, expires };
      const entries = bytes.subarray(0, length);
      return { ...header, entries, hash: hashOfIndex(header, entries) };
    },
  };
}

/** The lowest and the highest entry that a token can have in an index, before a time in ms. */
export function boundsOf(header: IndexHeader, name: Buffer, before: number): readonly [Buffer, Buffer] {
  const first = Buffer.alloc(ENTRY_BYTES);
  const last = Buffer.alloc(ENTRY_BYTES);
  const hash = hashInIndex(header, name);
  for (const bound of [first, last]) bound.writeUInt32BE(hash);
  const end = Math.max(0, Math.min(before, header.to) - header.from) * TRAIL_SHARDS;
  last.writeUInt32BE(Math.max(0, end - 1), HASH_BYTES);
  return [first, last];
}

/** Decodes the places of the entries between two bounds, newest first. */
export function placesBetween(
  { from }: Pick<IndexHeader, 'from'>,
  entries: Buffer,
  [first, last]: readonly [Buffer, Buffer],
): readonly IndexedPlace[] {
  const places: IndexedPlace[] = [];
  for (let at = entries.length - ENTRY_BYTES; at >= 0; at -= ENTRY_BYTES) {
    const entry = entries.subarray(at, at + ENTRY_BYTES);
    if (entry.compare(last) > 0) continue;
    if (entry.compare(first) < 0) break;
    places.push(placeOf(from, entry.readUInt32BE(HASH_BYTES)));
  }
  return places;
}
