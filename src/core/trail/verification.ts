import type { KeyObject } from 'node:crypto';
import type { Clock } from '../shared/clock.ts';
import { timeOfPosition, type RecordPlace } from '../audit/audit-record.ts';
import type { IndexReader } from './index-store.ts';
import { END_OF_TIME, MAX_INTERVAL_MS, MINUTE_MS } from './seal.ts';
import { intervalOf, linkOf, type Broken, type Interval } from './seal-chain.ts';
import { parseReference, type ReferredIds } from '../audit/token-reference.ts';
import type { SealHead, SealReader, TrailReader } from './trail-store.ts';

/** The audit keys of a tenant, by the first version of their root. */
export type AuditKeys = ReadonlyMap<number, KeyObject>;

/** Every read must reject if it fails: here, an absent result means "no records". */
export interface VerifyDeps {
  readonly trail: Pick<TrailReader, 'records' | 'find'>;
  readonly seals: SealReader;
  readonly head: Pick<SealHead, 'read'>;
  readonly index: IndexReader;
  /** Must read consistently: a record that was just written may name a new id. */
  readonly referred: ReferredIds;
  /** Pinned: it comes from outside the data that is verified. */
  readonly publicKey: KeyObject;
  readonly keysOf: (trail: string) => Promise<AuditKeys | 'destroyed'>;
  readonly clock: Clock;
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
  /** Indexes of tokens that were compared with their seal. */
  readonly indexes: number;
}

/** Most failures that a step names: an attacker who may insert can cause any number. */
export const MAX_FAILURES = 100;
/** Most characters of a text in a failure. */
const MAX_TEXT = 500;
/** Ids that are looked up in one call. */
const IDS_AT_ONCE = 100;
/** Most references that a step remembers; it looks them up again afterwards. */
const MAX_REFERENCES = 200_000;

/** A failure; at the same time a seal comes first, then the records, then the whole interval. */
export interface Finding {
  readonly time: number;
  readonly rank: 0 | 1 | 2;
  readonly broken: Broken;
}

const byText = (a = '', b = ''): number => (a === b ? 0 : a < b ? -1 : 1);

const inTime = (a: Finding, b: Finding): number =>
  a.time - b.time ||
  a.rank - b.rank ||
  byText(a.broken.place?.slice(3), b.broken.place?.slice(3)) ||
  byText(a.broken.trail, b.broken.trail);

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

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** The state of a step that its trails share. */
export class Verification {
  readonly deps: VerifyDeps;

  readonly checked: Mutable<Checked> = {
    ...{ seals: 0, records: 0, unchecked: 0, beforeSeals: 0, afterSeals: 0, expired: 0, indexes: 0 },
  };

  readonly findings = new Findings();

  readonly #keys = new Map<string, Promise<AuditKeys | 'destroyed'>>();

  /** By minute: neither seals nor the first one begin or end within one. */
  readonly #excused = new Map<number, Promise<boolean>>();

  readonly #references = new Set<string>();

  /** References to look up, each with the finding if its id is gone. */
  #waiting = new Map<string, Finding>();

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

  /**
   * Expects the ids of the names that are references; {@link lookUpIds} looks them up. `findingOf`
   * is for the first record that names a missing one.
   */
  expectIds(names: readonly string[], findingOf: (what: string) => Finding): void {
    for (const name of names) {
      if (parseReference(name) === undefined || this.#references.has(name)) continue;
      if (this.#references.size >= MAX_REFERENCES) this.#references.clear();
      this.#references.add(name);
      this.#waiting.set(name, findingOf('the id of a reference is gone'));
    }
  }

  /** Whether a call of {@link lookUpIds} would be full. */
  get hasManyIds(): boolean {
    return this.#waiting.size >= IDS_AT_ONCE;
  }

  /** Looks up the ids that wait for it. */
  async lookUpIds(): Promise<void> {
    const waiting = [...this.#waiting];
    this.#waiting = new Map();
    for (let at = 0; at < waiting.length; at += IDS_AT_ONCE) {
      const some = waiting.slice(at, at + IDS_AT_ONCE);
      const found = await this.deps.referred(some.flatMap(([name]) => parseReference(name) ?? []));
      for (const [name, finding] of some) if (!found.has(name)) this.findings.add(finding);
    }
  }
}
