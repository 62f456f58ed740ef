import { timingSafeEqual, type KeyObject } from 'node:crypto';
import type { Clock } from '../shared/clock.ts';
import { parseJson } from '../shared/parse-json.ts';
import { sortableTime } from '../shared/position.ts';
import {
  CLOCK_AHEAD_MS,
  DEPLOYMENT,
  indexedTokens,
  leafOf,
  macOf,
  parsePlace,
  placeText,
  timeOfPosition,
  TRAIL_SHARDS,
  type AuditEntry,
  type AuditRecord,
  type RecordPlace,
} from './audit-record.ts';
import { recordsInOrder } from './records-in-order.ts';
import { END_OF_TIME, MAX_INTERVAL_MS, MINUTE_MS, TrailRoot } from './seal.ts';
import { BrokenLink, intervalOf, intervalsOf, linkOf, type Broken, type Interval } from './seal-chain.ts';
import type { SealHead, SealReader, TrailReader } from './trail-store.ts';

/** The index for finding the records of a token. */
export interface TokenIndex {
  /** Those of the records that have their row for the token, in any order. */
  indexed(trail: string, token: string, places: readonly RecordPlace[]): Promise<readonly RecordPlace[]>;
}

/** The audit keys of a tenant, by the first version of their root. */
export type AuditKeys = ReadonlyMap<number, KeyObject>;

/** Every read must reject if it fails: here, an absent result means "no records". */
export interface VerifyDeps {
  readonly trail: Pick<TrailReader, 'records' | 'find'>;
  readonly seals: SealReader;
  readonly head: Pick<SealHead, 'read'>;
  /** Pinned: it comes from outside the data that is verified. */
  readonly publicKey: KeyObject;
  readonly keysOf: (trail: string) => Promise<AuditKeys | 'destroyed'>;
  /** If present, the index rows of each record are checked. */
  readonly index?: TokenIndex;
  readonly clock: Clock;
}

export interface VerifyInput {
  /** Absent: `deployment`, `tenants`, and every trail named by a seal of the range. */
  readonly trails?: readonly string[];
  /** Tenants that exist. */
  readonly tenants: readonly string[];
  /** In ms since the epoch; intervals that the range cuts are verified whole. */
  readonly from: number;
  readonly to: number;
  /** When the step ends, if it has verified anything. */
  readonly deadline: number;
}

/** The counts of a step. */
export interface Checked {
  readonly seals: number;
  readonly records: number;
  /** Records whose MAC was not checked: its key was destroyed, or its root was replaced. */
  readonly unchecked: number;
  /** Records older than the first seal, or newer than the last: only MAC and links were checked. */
  readonly beforeSeals: number;
  readonly afterSeals: number;
  /** Intervals whose first record has expired: only their seals were checked. */
  readonly expired: number;
}

export interface Verified {
  readonly checked: Checked;
  /** The time to continue at; absent at the end of the range. */
  readonly next?: number;
  /** Number of all failures. */
  readonly failures: number;
  /** The first {@link MAX_FAILURES} of them, in order of time. */
  readonly broken: readonly Broken[];
}

/** Most failures that a step names: an attacker who may insert can cause any number. */
export const MAX_FAILURES = 100;
/** Most characters of a text in a failure. */
const MAX_TEXT = 500;

const MAX_LINKS = 100;
const MAX_ROWS = 500;
const TRAILS_AT_ONCE = 4;
const ROWS_AT_ONCE = 16;
/** Most intervals, and most entries of their seals, in memory. */
const MAX_INTERVALS = 1_440;
const MAX_ENTRIES = 50_000;

const ALL_SHARDS = Array.from({ length: TRAIL_SHARDS }, (_, shard) => shard);

/** A failure; at the same time a seal comes first, then the records, then the whole interval. */
interface Finding {
  readonly time: number;
  readonly rank: 0 | 1 | 2;
  readonly broken: Broken;
}

const positionIn = ({ broken: { place } }: Finding): string => place?.slice(3) ?? '';

const inTime = (a: Finding, b: Finding): number =>
  a.time - b.time || a.rank - b.rank || (positionIn(a) < positionIn(b) ? -1 : 1);

/** Counts failures, and stores the first ones. */
class Findings {
  #first: Finding[] = [];

  count = 0;

  add(finding: Finding): void {
    const { place, what, ...broken } = finding.broken;
    const short = {
      ...broken,
      ...(place !== undefined && { place: place.slice(0, MAX_TEXT) }),
      what: what.slice(0, MAX_TEXT),
    };
    this.count += 1;
    this.#first.push({ ...finding, broken: short });
    if (this.#first.length >= 2 * MAX_FAILURES) this.#first = this.#sorted();
  }

  #sorted(): Finding[] {
    return this.#first.toSorted(inTime).slice(0, MAX_FAILURES);
  }

  first(): readonly Broken[] {
    return this.#sorted().map(({ broken }) => broken);
  }
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

function isEntry(value: unknown): value is AuditEntry {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { op, key, after, tokens } = value as Record<string, unknown>;
  return (
    typeof op === 'string' &&
    (key === undefined || (Number.isSafeInteger(key) && Number(key) >= 1)) &&
    (after === undefined || typeof after === 'string') &&
    (tokens === undefined ||
      (typeof tokens === 'object' && tokens !== null && Object.values(tokens).every(isTexts)))
  );
}

function isPosition(position: string): boolean {
  return /^[0-9a-z]{9}[\w-]{12}$/.test(position);
}

/** `undefined` for an entry that this service would not write. */
function strictEntryOf({ position, body }: AuditRecord): AuditEntry | undefined {
  if (!isPosition(position)) return undefined;
  try {
    const entry: unknown = parseJson(body);
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

/** The elements whose places are not in a list. */
const without = <T>(all: readonly T[], placeIn: (each: T) => RecordPlace, some: readonly RecordPlace[]) => {
  const found = new Set(some.map(placeText));
  return all.filter((each) => !found.has(placeText(placeIn(each))));
};

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** The state of a step that its trails share. */
class VerifyStep {
  readonly deps: VerifyDeps;

  readonly checked: Mutable<Checked> = {
    ...{ seals: 0, records: 0, unchecked: 0, beforeSeals: 0, afterSeals: 0, expired: 0 },
  };

  readonly findings = new Findings();

  readonly #keys = new Map<string, Promise<AuditKeys | 'destroyed'>>();

  /** By minute: neither seals nor the first one begin or end within one. */
  readonly #excused = new Map<number, Promise<boolean>>();

  constructor(deps: VerifyDeps) {
    this.deps = deps;
  }

  keysOf(trail: string): Promise<AuditKeys | 'destroyed'> {
    const keys = this.#keys.get(trail) ?? this.deps.keysOf(trail);
    this.#keys.set(trail, keys);
    return keys;
  }

  isExpired({ expires }: Pick<Interval, 'expires'>): boolean {
    return expires * 1000 <= this.deps.clock();
  }

  /** Whether a record may be missing: its interval has expired, or is older than the first seal. */
  isExcused({ position }: RecordPlace): Promise<boolean> {
    const minute = Math.floor(timeOfPosition(position) / MINUTE_MS);
    const known = this.#excused.get(minute) ?? this.#isMinuteExcused(minute * MINUTE_MS);
    this.#excused.set(minute, known);
    return known;
  }

  /** A seal that is not valid excuses nothing. */
  async #isMinuteExcused(time: number): Promise<boolean> {
    const { seals, publicKey } = this.deps;
    const links = [];
    for await (const page of seals.seals(Math.max(0, time - MAX_INTERVAL_MS), time + 1))
      links.push(...page.map((seal) => linkOf(publicKey, seal)));
    const parts = links
      .flatMap((link) => ('statement' in link ? link.statement : []))
      .filter(({ from, to }) => from <= time && time < to);
    if (parts[0] !== undefined) return this.isExpired(intervalOf(parts, parts[0]));
    for await (const page of seals.seals(0, END_OF_TIME))
      for (const seal of page) {
        const link = linkOf(publicKey, seal);
        return 'statement' in link && link.statement.previous === undefined && time < link.from;
      }
    return false;
  }
}

/** The roots of a trail in an interval, of all records and of those that pass their own checks. */
class Roots {
  readonly #all = new TrailRoot();

  readonly #sound = new TrailRoot();

  get count(): number {
    return this.#all.count;
  }

  add(record: AuditRecord, isSound: boolean): void {
    const leaf = leafOf(record);
    this.#all.add(leaf);
    if (isSound) this.#sound.add(leaf);
  }

  /**
   * Whether one of them is the sealed one. A record that fails its own check was stored before the
   * seal or after it: in both cases a second failure of the interval stays visible.
   */
  haveOne([, count, sealed]: readonly [string, number, string]): boolean {
    return [this.#all, this.#sound].some(
      (root) => root.count === count && (count === 0 || root.root() === sealed),
    );
  }
}

interface PendingLink {
  readonly of: RecordPlace;
  readonly after: RecordPlace;
  readonly interval: number;
}

interface PendingTip {
  readonly of: RecordPlace;
  readonly interval: number;
  readonly tokens: readonly string[];
}

interface PendingRow {
  readonly of: RecordPlace;
  readonly interval: number;
}

/** A walk over the records of one trail in consecutive intervals. */
class TrailWalk {
  readonly #step: VerifyStep;

  readonly #trail: string;

  readonly #intervals: readonly Interval[];

  /**
   * Records that no later record has named as its predecessor yet, each with the tokens that it is
   * found by.
   */
  readonly #tips = new Map<string, PendingTip>();

  #links: PendingLink[] = [];

  #rows = new Map<string, PendingRow[]>();

  #rowCount = 0;

  constructor(step: VerifyStep, trail: string, intervals: readonly Interval[]) {
    this.#step = step;
    this.#trail = trail;
    this.#intervals = intervals;
  }

  async run(): Promise<void> {
    const [first, last] = [this.#intervals[0], this.#intervals.at(-1)];
    if (first === undefined || last === undefined) return;
    const keys = this.#trail === DEPLOYMENT ? undefined : await this.#step.keysOf(this.#trail);
    const range = { trail: this.#trail, shards: ALL_SHARDS, from: first.from, to: last.to };
    let [at, roots] = [0, new Roots()];
    const finish = () => {
      this.#checkRoots(at, roots);
      [at, roots] = [at + 1, new Roots()];
    };
    for await (const records of recordsInOrder(this.#step.deps.trail, range))
      for (const record of records) {
        for (;;) {
          const interval = this.#intervals[at];
          // The range that is read ends with the last interval.
          if (interval === undefined) throw new Error('audit: a record outside of the range');
          if (record.position < sortableTime(interval.to)) break;
          finish();
        }
        const interval = this.#intervals[at] as Interval;
        // Between two intervals there may be an expired one.
        if (record.position < sortableTime(interval.from)) continue;
        const what = this.#checkRecord(record, at, keys);
        if (what !== undefined) this.#add(at, record, what);
        roots.add(record, what === undefined);
        await this.#flush(MAX_LINKS, MAX_ROWS);
      }
    while (at < this.#intervals.length) finish();
    await this.#flush(0, 0);
  }

  #add(interval: number, place: RecordPlace | undefined, what: string): void {
    const { name, from } = this.#intervals[interval] as Interval;
    this.#step.findings.add({
      ...{ time: from, rank: place === undefined ? 2 : 1 },
      broken: {
        ...{ interval: name, trail: this.#trail },
        ...(place !== undefined && { place: placeText(place) }),
        what,
      },
    });
  }

  #checkRoots(at: number, found: Roots): void {
    const interval = this.#intervals[at] as Interval;
    if (interval.seals === 0) return;
    const sealed = interval.entries.get(this.#trail) ?? ['', 0, ''];
    if (found.haveOne(sealed)) return;
    // The interval may have expired while it was read.
    if (this.#step.isExpired(interval)) return;
    const counts = `found ${String(found.count)} records, sealed ${String(sealed[1])}`;
    this.#add(at, undefined, found.count === sealed[1] ? `${counts}, not the same ones` : counts);
  }

  /** The first problem of a record on its own. */
  #checkRecord(
    record: AuditRecord,
    at: number,
    keys: AuditKeys | 'destroyed' | undefined,
  ): string | undefined {
    const interval = this.#intervals[at] as Interval;
    const { checked, deps } = this.#step;
    checked.records += 1;
    if (interval.name === 'not sealed yet') checked.afterSeals += 1;
    if (interval.name === 'before the first seal') checked.beforeSeals += 1;
    const entry = strictEntryOf(record);
    if (entry === undefined) return 'not a record of this service';
    if (timeOfPosition(record.position) > deps.clock() + CLOCK_AHEAD_MS) return 'a record of the future';
    const what = this.#checkMac(record, entry, interval, keys) ?? this.#checkLink(record, entry, at);
    if (what !== undefined) return what;
    const tokens = deps.index === undefined ? [] : indexedTokens(entry);
    this.#tips.set(placeText(record), { of: record, interval: at, tokens });
    return undefined;
  }

  /**
   * A record whose writer has continued was durable with all of its rows. Otherwise the write may
   * have failed before all rows were written.
   */
  #expectRows({ of, interval, tokens }: PendingTip): void {
    for (const token of tokens) {
      const rows = this.#rows.get(token) ?? [];
      this.#rows.set(token, rows);
      rows.push({ of, interval });
      this.#rowCount += 1;
    }
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

  #checkLink(record: AuditRecord, { after }: AuditEntry, interval: number): string | undefined {
    const own = placeText(record);
    if (after === undefined) return undefined;
    const place = placeOf(after);
    if (place === undefined) return 'names an invalid place as the record before it';
    if (after === own || timeOfPosition(place.position) > timeOfPosition(record.position))
      return `names a record that is not before it: ${after}`;
    const before = this.#tips.get(after);
    if (before === undefined) this.#links.push({ of: record, after: place, interval });
    else {
      this.#tips.delete(after);
      this.#expectRows(before);
    }
    return undefined;
  }

  /** Makes the waiting checks if there are more of them than allowed. */
  async #flush(links: number, rows: number): Promise<void> {
    if (this.#links.length > links) await this.#checkLinks();
    if (this.#rowCount > rows) await this.#checkRows();
  }

  async #checkLinks(): Promise<void> {
    const links = this.#links;
    this.#links = [];
    for (let at = 0; at < links.length; at += MAX_LINKS) {
      const some = links.slice(at, at + MAX_LINKS);
      const places = new Map(some.map(({ after }) => [placeText(after), after]));
      const found = await this.#step.deps.trail.find(this.#trail, [...places.values()]);
      if (this.#step.deps.index !== undefined) this.#expectRowsOf(found, some);
      for (const { of, after, interval } of without(some, (link) => link.after, found))
        if (!(await this.#step.isExcused(after)))
          this.#add(interval, of, `the record before it is gone: ${placeText(after)}`);
    }
  }

  /** Expects the rows of records before the start of this walk, if later records name them. */
  #expectRowsOf(found: readonly AuditRecord[], links: readonly PendingLink[]): void {
    const intervals = new Map(links.map(({ after, interval }) => [placeText(after), interval]));
    for (const of of found) {
      const [entry, interval] = [strictEntryOf(of), intervals.get(placeText(of))];
      if (entry === undefined || interval === undefined) continue;
      this.#expectRows({ of, interval, tokens: indexedTokens(entry) });
    }
  }

  async #checkRows(): Promise<void> {
    const { index } = this.#step.deps;
    const tokens = [...this.#rows];
    this.#rows = new Map();
    this.#rowCount = 0;
    for (let at = 0; index !== undefined && at < tokens.length; at += ROWS_AT_ONCE) {
      const some = tokens.slice(at, at + ROWS_AT_ONCE).map(async ([token, rows]) => {
        const places = rows.map(({ of: { shard, position } }) => ({ shard, position }));
        const found = await index.indexed(this.#trail, token, places);
        for (const { of, interval } of without(rows, (row) => row.of, found))
          if (!this.#step.isExpired(this.#intervals[interval] as Interval))
            this.#add(interval, of, `its index row of token ${token} is gone`);
      });
      await Promise.all(some);
    }
  }
}

/** Checks the records of all trails in a chunk of intervals. */
async function verifyChunk(
  step: VerifyStep,
  { trails, tenants }: VerifyInput,
  chunk: readonly Interval[],
): Promise<void> {
  const live = chunk.filter((interval) => !step.isExpired(interval));
  step.checked.expired += chunk.length - live.length;
  step.checked.seals += chunk.reduce((sum, { seals }) => sum + seals, 0);
  const sealed = chunk.flatMap(({ entries }) => [...entries.keys()]);
  const all = [...new Set(trails ?? [DEPLOYMENT, ...tenants, ...sealed])];
  for (let at = 0; at < all.length; at += TRAILS_AT_ONCE)
    await Promise.all(
      all.slice(at, at + TRAILS_AT_ONCE).map((trail) => new TrailWalk(step, trail, live).run()),
    );
}

interface Chunk {
  readonly intervals: readonly Interval[];
  readonly isLast: boolean;
}

/** The next intervals; the failures of the chain on the way are reported. */
async function nextChunk(
  step: VerifyStep,
  intervals: AsyncIterator<Interval | BrokenLink>,
  size: number,
): Promise<Chunk> {
  const chunk: Interval[] = [];
  for (let entries = 0; chunk.length < size && entries < MAX_ENTRIES;) {
    const next = await intervals.next();
    if (next.done === true) return { intervals: chunk, isLast: true };
    const { value } = next;
    if (value instanceof BrokenLink) step.findings.add({ time: value.at, rank: 0, broken: value.broken });
    else {
      chunk.push(value);
      entries += value.entries.size;
    }
  }
  return { intervals: chunk, isLast: false };
}

/**
 * Verifies as much of a range as the time allows, at least one interval
 * (docs/audit.md#verify-audit). A failure does not end it: another one may follow. The head may be
 * one seal behind, as a sealer that died leaves it.
 */
export async function verifyStep(deps: VerifyDeps, input: VerifyInput): Promise<Verified> {
  const step = new VerifyStep(deps);
  const to = Math.min(input.to, END_OF_TIME);
  const intervals = intervalsOf(deps, input.from, to);
  const verified = () => ({
    ...{ checked: step.checked, failures: step.findings.count, broken: step.findings.first() },
  });
  try {
    for (let size = 1; input.from < to;) {
      const began = deps.clock();
      const chunk = await nextChunk(step, intervals, size);
      await verifyChunk(step, input, chunk.intervals);
      const next = chunk.intervals.at(-1)?.to;
      if (chunk.isLast || next === undefined) break;
      // Use half of the remaining time, estimated from the last chunk.
      const now = deps.clock();
      const each = Math.max(1, (now - began) / size);
      if (now + each >= input.deadline && next < to) return { ...verified(), next };
      const fitting = Math.floor((input.deadline - now) / 2 / each);
      size = Math.max(1, Math.min(fitting, 2 * size, MAX_INTERVALS));
    }
  } finally {
    await intervals.return(undefined);
  }
  return verified();
}
