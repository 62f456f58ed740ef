import { timingSafeEqual } from 'node:crypto';
import { sortableTime } from '../shared/position.ts';
import {
  CLOCK_AHEAD_MS,
  DEPLOYMENT,
  isPosition,
  leafOf,
  macOf,
  namedTokens,
  parsePlace,
  placeText,
  timeOfPosition,
  TRAIL_SHARDS,
  type AuditEntry,
  type AuditRecord,
  type RecordPlace,
} from '../audit/audit-record.ts';
import { decodeContent } from '../audit/record-content.ts';
import { recordsInOrder } from './records-in-order.ts';
import { TrailRoot } from './seal.ts';
import type { Interval } from './seal-chain.ts';
import type { AuditKeys, Finding, Verification } from './verification.ts';

const MAX_LINKS = 100;

export const ALL_SHARDS: readonly number[] = Array.from({ length: TRAIL_SHARDS }, (_, shard) => shard);

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

function isEntry(value: AuditEntry): boolean {
  const { op, key, after, tokens }: Readonly<Partial<Record<keyof AuditEntry, unknown>>> = value;
  return (
    typeof op === 'string' &&
    (key === undefined || (Number.isSafeInteger(key) && Number(key) >= 1)) &&
    (after === undefined || typeof after === 'string') &&
    (tokens === undefined ||
      (typeof tokens === 'object' && tokens !== null && Object.values(tokens).every(isTexts)))
  );
}

/** `undefined` for a record that this service would not write. */
export function strictEntryOf(record: AuditRecord): AuditEntry | undefined {
  if (!isPosition(record.position)) return undefined;
  try {
    const entry = decodeContent(record);
    return isEntry(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** `undefined` for an invalid place. */
function placeOf(text: string): RecordPlace | undefined {
  try {
    const place = parsePlace(text);
    return place.shard < TRAIL_SHARDS && isPosition(place.position) ? place : undefined;
  } catch {
    return undefined;
  }
}

/** The roots of a trail in an interval, of all records and of those that pass their own checks. */
class Roots {
  #all: TrailRoot | undefined;

  #sound: TrailRoot | undefined;

  get count(): number {
    return this.#all?.count ?? 0;
  }

  add(record: AuditRecord, isSound: boolean): void {
    const leaf = leafOf(record);
    (this.#all ??= new TrailRoot()).add(leaf);
    if (isSound) (this.#sound ??= new TrailRoot()).add(leaf);
  }

  /**
   * Whether one of them is the sealed one. A record that fails its own check was stored before the
   * seal or after it: in both cases a second failure of the interval stays visible.
   */
  haveOne(count: number, sealed: string): boolean {
    return [this.#all, this.#sound].some(
      (root) => (root?.count ?? 0) === count && (root === undefined || root.root() === sealed),
    );
  }
}

interface PendingLink {
  readonly of: RecordPlace;
  readonly after: RecordPlace;
  readonly interval: Interval;
}

/** A trail, its partitions to read, and the intervals in order of time. */
export interface WalkRange {
  readonly trail: string;
  readonly shards: readonly number[];
  readonly intervals: readonly Interval[];
}

/** The intervals whose seals name a trail, those between them, and the shards that they name. */
export function sealedRange(trail: string, intervals: readonly Interval[]): Omit<WalkRange, 'trail'> {
  const isNamed = ({ entries }: Interval) => entries.has(trail);
  const [first, last] = [intervals.findIndex(isNamed), intervals.findLastIndex(isNamed)];
  const named = intervals.slice(first === -1 ? intervals.length : first, last + 1);
  const bits = named.reduce((all, { entries }) => (all | (entries.get(trail)?.[3] ?? 0)) >>> 0, 0);
  return { intervals: named, shards: ALL_SHARDS.filter((shard) => ((bits >>> shard) & 1) === 1) };
}

/** A walk over the records of one trail in consecutive intervals. */
export class TrailWalk {
  readonly #step: Verification;

  readonly #range: WalkRange;

  /** Records that no later record has named as its predecessor yet. */
  readonly #tips = new Set<string>();

  #links: PendingLink[] = [];

  constructor(step: Verification, range: WalkRange) {
    this.#step = step;
    this.#range = range;
  }

  /**
   * Verifies as many intervals as the time allows, at least one. Returns where the next walk
   * begins, in ms since the epoch; `undefined` at the end.
   */
  async run(deadline: number): Promise<number | undefined> {
    const { trail, shards, intervals } = this.#range;
    const [first, last] = [intervals[0], intervals.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    const keys = trail === DEPLOYMENT ? undefined : await this.#step.keysOf(trail);
    const walked = { trail, shards, from: first.from, to: last.to };
    let [at, roots, isLate] = [0, new Roots(), false];
    const finish = (interval: Interval) => {
      this.#checkRoots(interval, roots);
      [at, roots] = [at + 1, new Roots()];
      isLate = at < intervals.length && this.#step.deps.clock() >= deadline;
    };
    for await (const records of recordsInOrder(this.#step.deps.trail, walked)) {
      for (const record of records) {
        let interval = intervals[at];
        while (interval !== undefined && !isLate && record.position >= sortableTime(interval.to)) {
          finish(interval);
          interval = intervals[at];
        }
        if (isLate) break;
        // The range that is read ends with the last interval.
        if (interval === undefined) throw new Error('audit: a record outside of the range');
        // Between two intervals there may be an expired one.
        if (record.position < sortableTime(interval.from)) continue;
        roots.add(record, this.#isSound(record, interval, keys));
        if (this.#links.length > MAX_LINKS) await this.#checkLinks();
        if (this.#step.hasManyIds) await this.#step.lookUpIds();
      }
      if (isLate) break;
    }
    // After the last record an interval costs no more reads, so the time does not matter.
    if (!isLate) for (const interval of intervals.slice(at)) finish(interval);
    await this.#checkLinks();
    return isLate ? intervals[at]?.from : undefined;
  }

  #finding({ name, from }: Interval, place: RecordPlace | undefined, what: string): Finding {
    return {
      ...{ time: from, rank: place === undefined ? 2 : 1 },
      broken: {
        ...{ interval: name, trail: this.#range.trail },
        ...(place !== undefined && { place: placeText(place) }),
        what,
      },
    };
  }

  #add(...of: readonly [Interval, RecordPlace | undefined, what: string]): void {
    this.#step.findings.add(this.#finding(...of));
  }

  #checkRoots(interval: Interval, found: Roots): void {
    if (interval.seals === 0) return;
    const [, sealed = 0, root = ''] = interval.entries.get(this.#range.trail) ?? [];
    if (found.haveOne(sealed, root)) return;
    // The interval may have expired while it was read.
    if (this.#step.isExpired(interval)) return;
    const counts = `found ${String(found.count)} records, sealed ${String(sealed)}`;
    this.#add(interval, undefined, found.count === sealed ? `${counts}, not the same ones` : counts);
  }

  /** Whether a record passes its own checks; reports the first problem. */
  #isSound(record: AuditRecord, interval: Interval, keys: AuditKeys | 'destroyed' | undefined): boolean {
    const { checked, deps } = this.#step;
    checked.records += 1;
    if (interval.name === 'not sealed yet') checked.afterSeals += 1;
    if (interval.name === 'before the first seal') checked.beforeSeals += 1;
    const entry = strictEntryOf(record);
    const what =
      entry === undefined
        ? 'not a record of this service'
        : timeOfPosition(record.position) > deps.clock() + CLOCK_AHEAD_MS
          ? 'a record of the future'
          : (this.#checkMac(record, entry, interval, keys) ?? this.#checkLink(record, entry, interval));
    if (what !== undefined) this.#add(interval, record, what);
    if (what !== undefined || entry === undefined) return false;
    this.#tips.add(placeText(record));
    // The record of a creation can be stored without the id, if its writer died: the batch is not
    // atomic. Nothing was created then.
    const { create: _, ...existing } = entry.tokens ?? {};
    this.#step.expectIds(namedTokens({ tokens: existing }), (gone) => this.#finding(interval, record, gone));
    return true;
  }

  #checkMac(
    record: AuditRecord,
    { key }: AuditEntry,
    { seals }: Interval,
    keys: AuditKeys | 'destroyed' | undefined,
  ): string | undefined {
    const { mac } = record;
    if (keys === undefined)
      return mac === undefined && key === undefined
        ? undefined
        : 'has a MAC, but its trail has no key for it';
    if (mac === undefined || key === undefined) return 'has no MAC';
    if (keys === 'destroyed') {
      this.#step.checked.unchecked += 1;
      return undefined;
    }
    const audit = keys.get(key);
    if (audit !== undefined) {
      const expected = macOf(audit, record);
      return expected.length === mac.length && timingSafeEqual(expected, mac)
        ? undefined
        : 'the MAC is wrong';
    }
    // Only a root older than those of the ring can have been replaced.
    if (key > Math.max(...keys.keys())) return `the MAC is under key ${String(key)}, which never was`;
    if (seals === 0) return `the MAC is under key ${String(key)}, which was replaced, and it is not sealed`;
    this.#step.checked.unchecked += 1;
    return undefined;
  }

  #checkLink(record: AuditRecord, { after }: AuditEntry, interval: Interval): string | undefined {
    if (after === undefined) return undefined;
    const place = placeOf(after);
    if (place === undefined) return 'names an invalid place as the record before it';
    if (after === placeText(record) || timeOfPosition(place.position) > timeOfPosition(record.position))
      return `names a record that is not before it: ${after}`;
    if (!this.#tips.delete(after)) this.#links.push({ of: record, after: place, interval });
    return undefined;
  }

  async #checkLinks(): Promise<void> {
    const links = this.#links;
    this.#links = [];
    for (let at = 0; at < links.length; at += MAX_LINKS) {
      const some = links.slice(at, at + MAX_LINKS);
      const places = new Map(some.map(({ after }) => [placeText(after), after]));
      const found = await this.#step.deps.trail.find(this.#range.trail, [...places.values()]);
      for (const record of found) places.delete(placeText(record));
      for (const { of, after, interval } of some)
        if (places.has(placeText(after)) && !(await this.#step.isExcused(after)))
          this.#add(interval, of, `the record before it is gone: ${placeText(after)}`);
    }
  }
}
