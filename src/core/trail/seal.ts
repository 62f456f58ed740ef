import { createHash, verify, type Hash, type KeyObject } from 'node:crypto';
import * as z from 'zod/mini';
import { parseJson } from '../shared/parse-json.ts';
import { INDEX_LEVELS, type IndexLevel } from './index-levels.ts';
import { lengthPrefixed, TRAIL_SHARDS } from '../audit/audit-record.ts';
import type { Seal } from './trail-store.ts';

export const MINUTE_MS = 60_000;
/** The last time that fits into a key, nine digits in base 36, in ms since the epoch. */
export const END_OF_TIME = 36 ** 9 - 1;
export const MAX_INTERVAL_MS = 15 * MINUTE_MS;
/** A set of bits in which every shard has its bit. */
const ALL_BITS = 2 ** TRAIL_SHARDS - 1;

/**
 * No record expires sooner than after the minimum of the retention setting. Otherwise an attacker
 * could change `expires` of one record before its seal, and the whole interval would count as
 * expired.
 */
const MIN_RETENTION_SECONDS = 365 * 24 * 60 * 60;

/**
 * A trail with records in an interval: its id, their number, the root (base64url), and the shards
 * that have them, one bit each.
 */
export type SealEntry = readonly [trail: string, count: number, root: string, shards: number];

/**
 * An index of tokens that is complete (`token-index.ts`): its range in ms, and its hash
 * (base64url).
 */
export type SealedIndex = readonly [trail: string, level: IndexLevel, from: number, to: number, hash: string];

/**
 * A point in the hours or days, and in the trails that one has. Times are in ms since the epoch.
 */
export interface Progress {
  /** Start of the hour or day that is being indexed. All before it are indexed. */
  readonly time: number;
  /** The last trail of it that was reached; absent at its start. */
  readonly trail?: string;
  /** The time at which that trail continues; absent if it is finished. */
  readonly at?: number;
}

/** How far the indexes are: hours whose rest is indexed, days, and requests of operators. */
export interface IndexProgress {
  readonly hours: Progress;
  readonly days: Progress;
  /** The last request that is done, and where one that is begun continues. */
  readonly asked?: {
    readonly done?: string;
    readonly begun?: { readonly id: string; readonly at: number };
  };
}

/** A seal states this about its interval. Times are whole minutes, in ms since the epoch. */
export interface SealStatement {
  readonly from: number;
  readonly to: number;
  /** Starts at 1. The entries of one interval may be in several seals. */
  readonly part: number;
  /**
   * The last trail that the part covers. Absent in the last part, which has all trails after it.
   */
  readonly more?: string;
  /** Hash that the previous seal has (base64url). Absent in the first seal. */
  readonly previous?: string;
  /**
   * The time when the first of its records expires, in seconds since 1970; absent without records.
   * Never earlier than {@link earliestExpiry}.
   */
  readonly expires?: number;
  /** The entries are sorted by trail. */
  readonly entries: readonly SealEntry[];
  /** The indexes that were written since the seal before; absent if there are none. */
  readonly indexes?: readonly SealedIndex[];
  readonly progress: IndexProgress;
}

/** The smallest `expires` that a seal may state, in seconds since 1970. */
export const earliestExpiry = (from: number): number => Math.floor(from / 1000) + MIN_RETENTION_SECONDS;

/** Writes the body that a seal signs. */
export function encodeStatement(statement: SealStatement): string {
  const { from, to, part, more, previous, expires, entries, indexes, progress } = statement;
  return JSON.stringify({ v: 1, from, to, part, more, previous, expires, entries, indexes, progress });
}

const time = z.int().check(z.minimum(0), z.maximum(END_OF_TIME));
const minute = time.check(z.multipleOf(MINUTE_MS));
const hash = z.string().check(z.regex(/^[\w-]{43}$/));
const point = { time, trail: z.optional(z.string()), at: z.optional(time) };

const statementShape = z.lazy(() =>
  z.strictObject({
    v: z.literal(1),
    from: minute,
    to: minute,
    part: z.int().check(z.minimum(1)),
    more: z.optional(z.string()),
    previous: z.optional(hash),
    expires: z.optional(z.int()),
    entries: z.array(
      z.tuple([
        z.string(),
        z.int().check(z.minimum(1)),
        hash,
        z.int().check(z.minimum(0), z.maximum(ALL_BITS)),
      ]),
    ),
    indexes: z.optional(z.array(z.tuple([z.string(), z.enum(INDEX_LEVELS), time, time, hash]))),
    progress: z.strictObject({
      hours: z.strictObject(point),
      days: z.strictObject(point),
      asked: z.optional(
        z.strictObject({
          done: z.optional(z.string()),
          begun: z.optional(z.strictObject({ id: z.string(), at: time })),
        }),
      ),
    }),
  }),
);

/** Whether a statement of the right shape is one that the sealer can have made. */
function isConsistent({ from, to, more, expires, entries }: SealStatement): boolean {
  return (
    from < to &&
    to - from <= MAX_INTERVAL_MS &&
    (expires === undefined || expires >= earliestExpiry(from)) &&
    entries.every(([trail], at) => at === 0 || (entries[at - 1] as SealEntry)[0] < trail) &&
    (more === undefined || entries.every(([trail]) => trail <= more)) &&
    (expires === undefined) === (entries.length === 0)
  );
}

/**
 * Reads a seal's statement. Throws an Error for a body that {@link encodeStatement} does not
 * produce, or that is for another place.
 */
export function statementOf(seal: Seal): SealStatement {
  const statement = statementShape.parse(parseJson(seal.body)) as unknown as SealStatement;
  if (!isConsistent(statement) || encodeStatement(statement) !== seal.body)
    throw new Error('audit: not the statement of a seal');
  if (statement.from !== seal.from || statement.part !== seal.part)
    throw new Error('audit: a seal is stored at the place of another one');
  return statement;
}

/** SHA-256 over a whole seal. The next seal and the head refer to it by this hash. */
export function hashOfSeal({ body, signature }: Seal): Buffer {
  return createHash('sha256')
    .update(lengthPrefixed([body, signature]))
    .digest();
}

/** Computes the digest that the key signs. */
export const digestOf = (body: string): Buffer => createHash('sha256').update(body).digest();

export function hasValidSignature(publicKey: KeyObject, { body, signature }: Seal): boolean {
  return verify('sha256', Buffer.from(body), publicKey, signature);
}

/** Receives the leaves of a trail's records in an interval, in order of position. */
export interface TrailRoot {
  readonly count: number;
  add(leaf: Buffer): void;
  /** Returns the root (base64url). May be called only once. */
  root(): string;
}

export function createTrailRoot(): TrailRoot {
  // The first leaf creates it, because most trails have no record in most intervals.
  let sha256: Hash | undefined;
  let count = 0;
  return {
    get count() {
      return count;
    },
    add(leaf) {
      sha256 ??= createHash('sha256');
      sha256.update(leaf);
      count += 1;
    },
    root: () => (sha256 ?? createHash('sha256')).digest('base64url'),
  };
}
