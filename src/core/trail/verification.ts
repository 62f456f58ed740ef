import type { KeyObject } from 'node:crypto';
import type { Clock } from '../shared/clock.ts';
import { timeOfPosition, type RecordPlace } from '../audit/audit-record.ts';
import type { IndexReader } from './index-store.ts';
import { END_OF_TIME, MAX_INTERVAL_MS, MINUTE_MS, type SealStatement } from './seal.ts';
import { linkOf, statementIn, type Broken } from './seal-link.ts';
import { intervalOf, type Interval } from './group-intervals.ts';
import { parseReference, type ReferredIds } from '../audit/token-reference.ts';
import type { SealHead, SealReader, TrailReader } from './trail-store.ts';

/** The audit keys that a tenant has, by the first version of their root. */
export type AuditKeys = ReadonlyMap<number, KeyObject>;

/** Every read must reject if it fails, because an absent result means "no records" here. */
export interface VerifyDeps {
  readonly trail: Pick<TrailReader, 'records' | 'find'>;
  readonly seals: SealReader;
  readonly head: Pick<SealHead, 'read'>;
  readonly index: IndexReader;
  /** It must read consistently: a record that was just written may name a new id. */
  readonly referred: ReferredIds;
  /** The key is pinned: it comes from outside the data that is verified. */
  readonly publicKey: KeyObject;
  readonly keysOf: (trail: string) => Promise<AuditKeys | 'destroyed'>;
  readonly clock: Clock;
}

/** Numbers that a step has counted. */
export interface Checked {
  readonly seals: number;
  readonly records: number;
  /** Records whose MAC was not checked, because its key was destroyed or its root was replaced. */
  readonly unchecked: number;
  /**
   * Records older than the first seal, or newer than the last. Only their MAC and links were
   * checked.
   */
  readonly beforeSeals: number;
  readonly afterSeals: number;
  /** Intervals whose first record has expired. Only their seals were checked. */
  readonly expired: number;
  /** Indexes of tokens that were compared with their seal. */
  readonly indexes: number;
}

/** Most failures that a step names. An attacker who may insert can cause any number. */
export const MAX_FAILURES = 100;
/** Most characters that a text in a failure may have. */
const MAX_TEXT = 500;
/** Ids that are looked up in one call. */
const IDS_AT_ONCE = 100;
/** Most references that a step remembers. It looks them up again afterwards. */
const MAX_REFERENCES = 200_000;

/** A failure. At the same time a seal comes first, then the records, then the whole interval. */
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
export interface Findings {
  readonly count: number;
  add(finding: Finding): void;
  first(): readonly Broken[];
}

function createFindings(): Findings {
  let count = 0;
  let stored: Finding[] = [];
  const sorted = () => stored.toSorted(inTime).slice(0, MAX_FAILURES);
  return {
    get count() {
      return count;
    },
    add(finding) {
      const { place, what, ...broken } = finding.broken;
      const short = {
        ...broken,
        ...(place !== undefined && { place: place.slice(0, MAX_TEXT) }),
        what: what.slice(0, MAX_TEXT),
      };
      count += 1;
      stored.push({ ...finding, broken: short });
      if (stored.length >= 2 * MAX_FAILURES) stored = sorted();
    },
    first: () => sorted().map(({ broken }) => broken),
  };
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** The state of a step that its trails share. */
export interface Verification {
  readonly deps: VerifyDeps;
  readonly checked: Mutable<Checked>;
  readonly findings: Findings;
  keysOf(trail: string): Promise<AuditKeys | 'destroyed'>;
  isExpired(interval: Pick<Interval, 'expires'>): boolean;
  /**
   * Whether a record may be missing, because its interval has expired or is older than the first
   * seal.
   */
  isExcused(place: RecordPlace): Promise<boolean>;
  /**
   * Expects that the names which are references have ids. {@link lookUpIds} looks them up.
   * `findingOf` is for the first record that names a missing one.
   */
  expectIds(names: readonly string[], findingOf: (what: string) => Finding): void;
  /** Whether a call of {@link lookUpIds} would be full. */
  readonly hasManyIds: boolean;
  /** Looks up all expected ids at once. */
  lookUpIds(): Promise<void>;
}

/** The value of a key, which is computed once. */
function remembered<Key, Value>(values: Map<Key, Value>, key: Key, compute: () => Value): Value {
  const value = values.get(key) ?? compute();
  values.set(key, value);
  return value;
}

const isExpiredAt = ({ expires }: Pick<Interval, 'expires'>, now: number): boolean => expires * 1000 <= now;

/** Whether the interval of a time has expired. A seal that is not valid excuses nothing. */
async function isTimeExcused({ seals, publicKey, clock }: VerifyDeps, time: number): Promise<boolean> {
  const parts: SealStatement[] = [];
  for await (const page of seals.seals(Math.max(0, time - MAX_INTERVAL_MS), time + 1))
    for (const seal of page) {
      const statement = statementIn(linkOf(publicKey, seal));
      if (statement !== undefined && statement.from <= time && time < statement.to) parts.push(statement);
    }
  if (parts[0] !== undefined) return isExpiredAt(intervalOf(parts, parts[0]), clock());
  for await (const page of seals.seals(0, END_OF_TIME))
    for (const seal of page) {
      const statement = statementIn(linkOf(publicKey, seal));
      return statement !== undefined && statement.previous === undefined && time < statement.from;
    }
  return false;
}

export function createVerification(deps: VerifyDeps): Verification {
  const findings = createFindings();
  const keys = new Map<string, Promise<AuditKeys | 'destroyed'>>();
  // Results are cached by minute, as neither seals nor the first interval begin or end within one.
  const excused = new Map<number, Promise<boolean>>();
  const references = new Set<string>();
  /** References to look up, each with the finding to report if its id is missing. */
  let waiting = new Map<string, Finding>();

  return {
    deps,
    checked: {
      seals: 0,
      records: 0,
      unchecked: 0,
      beforeSeals: 0,
      afterSeals: 0,
      expired: 0,
      indexes: 0,
    },
    findings,
    keysOf: (trail) => remembered(keys, trail, () => deps.keysOf(trail)),
    isExpired: (interval) => isExpiredAt(interval, deps.clock()),

    isExcused({ position }) {
      const minute = Math.floor(timeOfPosition(position) / MINUTE_MS);
      return remembered(excused, minute, () => isTimeExcused(deps, minute * MINUTE_MS));
    },

    expectIds(names, findingOf) {
      for (const name of names) {
        if (parseReference(name) === undefined || references.has(name)) continue;
        if (references.size >= MAX_REFERENCES) references.clear();
        references.add(name);
        waiting.set(name, findingOf('the id of a reference is gone'));
      }
    },

    get hasManyIds() {
      return waiting.size >= IDS_AT_ONCE;
    },

    async lookUpIds() {
      const all = [...waiting];
      waiting = new Map();
      for (let at = 0; at < all.length; at += IDS_AT_ONCE) {
        const some = all.slice(at, at + IDS_AT_ONCE);
        const found = await deps.referred(some.flatMap(([name]) => parseReference(name) ?? []));
        for (const [name, finding] of some) if (!found.has(name)) findings.add(finding);
      }
    },
  };
}
