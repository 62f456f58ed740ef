import { createHash, verify, type KeyObject } from 'node:crypto';
import { parseJson } from '../shared/parse-json.ts';
import { lengthPrefixed } from './audit-record.ts';
import type { Seal } from './trail-store.ts';

export const MINUTE_MS = 60_000;
/** The last time that a key can hold, nine digits in base 36, in ms since the epoch. */
export const END_OF_TIME = 36 ** 9 - 1;
export const MAX_INTERVAL_MS = 15 * MINUTE_MS;

/**
 * No record expires sooner: the minimum of the retention setting. Otherwise an attacker could
 * change `expires` of one record before its seal, and the whole interval would count as expired.
 */
const MIN_RETENTION_SECONDS = 365 * 24 * 60 * 60;

/** A trail with records in an interval: its id, their number, and the root (base64url). */
export type SealEntry = readonly [trail: string, count: number, root: string];

/** The statement of a seal about its interval. Times are whole minutes, in ms since the epoch. */
export interface SealStatement {
  readonly from: number;
  readonly to: number;
  /** From 1 to `parts`: the entries of one interval may be in several seals. */
  readonly part: number;
  readonly parts: number;
  /** Hash of the previous seal (base64url); absent in the first. */
  readonly previous?: string;
  /**
   * When the first of its records expires, in seconds since 1970; absent without records. Never
   * earlier than {@link earliestExpiry}.
   */
  readonly expires?: number;
  /** Sorted by trail. */
  readonly entries: readonly SealEntry[];
}

/** The smallest `expires` that a seal may state, in seconds since 1970. */
export const earliestExpiry = (from: number): number => Math.floor(from / 1000) + MIN_RETENTION_SECONDS;

/** The body of a seal. */
export function encodeStatement(statement: SealStatement): string {
  const { from, to, part, parts, previous, expires, entries } = statement;
  return JSON.stringify({ v: 1, from, to, part, parts, previous, expires, entries });
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 1;
const isMinute = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) % MINUTE_MS === 0;
const isHash = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{43}$/.test(value);
const isEntry = (value: unknown): value is SealEntry =>
  Array.isArray(value) &&
  value.length === 3 &&
  typeof value[0] === 'string' &&
  isCount(value[1]) &&
  isHash(value[2]);

function isStatement(value: unknown): value is SealStatement {
  if (typeof value !== 'object' || value === null) return false;
  const { from, to, part, parts, previous, expires, entries } = value as Record<string, unknown>;
  return (
    isMinute(from) &&
    isMinute(to) &&
    from < to &&
    to - from <= MAX_INTERVAL_MS &&
    isCount(part) &&
    isCount(parts) &&
    part <= parts &&
    (previous === undefined || isHash(previous)) &&
    (expires === undefined || (Number.isSafeInteger(expires) && Number(expires) >= earliestExpiry(from))) &&
    Array.isArray(entries) &&
    entries.every(isEntry) &&
    entries.every(([trail], at) => at === 0 || (entries[at - 1] as SealEntry)[0] < trail) &&
    (expires === undefined) === (entries.length === 0)
  );
}

/**
 * Throws an Error for a body that {@link encodeStatement} does not produce, or of another place.
 */
export function statementOf(seal: Seal): SealStatement {
  const statement: unknown = parseJson(seal.body);
  if (!isStatement(statement) || encodeStatement(statement) !== seal.body)
    throw new Error('audit: not the statement of a seal');
  if (statement.from !== seal.from || statement.part !== seal.part)
    throw new Error('audit: a seal is stored at the place of another one');
  return statement;
}

/** SHA-256 over a whole seal: the next seal and the head refer to it by this hash. */
export function hashOfSeal({ body, signature }: Seal): Buffer {
  return createHash('sha256')
    .update(lengthPrefixed([body, signature]))
    .digest();
}

/** The digest that the key signs. */
export const digestOf = (body: string): Buffer => createHash('sha256').update(body).digest();

export function hasValidSignature(publicKey: KeyObject, { body, signature }: Seal): boolean {
  return verify('sha256', Buffer.from(body), publicKey, signature);
}

/** Receives the leaves of a trail's records in an interval, in order of position. */
export class TrailRoot {
  readonly #hash = createHash('sha256');

  count = 0;

  add(leaf: Buffer): void {
    this.#hash.update(leaf);
    this.count += 1;
  }

  /** The root (base64url); call it once only. */
  root(): string {
    return this.#hash.digest('base64url');
  }
}
