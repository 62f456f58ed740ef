import type { SealedIndex, SealEntry, SealStatement } from './seal.ts';
import {
  brokenLink,
  isNextPart,
  problemsOf,
  statementIn,
  type Broken,
  type BrokenLink,
  type InvalidLink,
  type Link,
  type SealPlace,
  type ValidLink,
} from './seal-link.ts';

/** An interval that one seal covers in one or more parts, or a time without a seal. */
export interface Interval {
  readonly name: Broken['interval'];
  readonly from: number;
  readonly to: number;
  /** Number of seals, which is 0 for a time without a seal. */
  readonly seals: number;
  readonly entries: ReadonlyMap<string, SealEntry>;
  /** The indexes that its seals name. */
  readonly indexes: readonly SealedIndex[];
  /** In seconds since 1970. */
  readonly expires: number;
}

export function intervalOf(parts: readonly SealStatement[], { from, to }: SealStatement): Interval {
  return {
    name: { from, to },
    from,
    to,
    seals: parts.length,
    entries: new Map(parts.flatMap(({ entries }) => entries.map((entry) => [entry[0], entry] as const))),
    indexes: parts.flatMap(({ indexes = [] }) => indexes),
    expires: Math.min(...parts.map(({ expires }) => expires ?? Infinity)),
  };
}

const unsealed = (name: Interval['name'], from: number, to: number): Interval => ({
  name,
  from,
  to,
  seals: 0,
  entries: new Map<string, SealEntry>(),
  indexes: [],
  expires: Infinity,
});

/** The state of grouping the links of a range, in order, into intervals and failures. */
export interface Grouping {
  /** The range, in ms since the epoch; `to` is exclusive. */
  readonly at: number;
  readonly to: number;
  /** The intervals up to here were returned. */
  covered: number;
  /** The last link that later ones can follow. */
  last: Link | undefined;
  /** The parts so far of an interval without a failure. Empty for any other interval. */
  parts: SealStatement[];
  /** A link that is not valid and was not reported yet. */
  invalid: { readonly link: BrokenLink; readonly from: number } | undefined;
  /** The end of the interval of the last valid link. */
  validTo: number;
  hasReportedNoSeal: boolean;
}

export const newGrouping = (at: number, to: number): Grouping => ({
  at,
  to,
  covered: at,
  last: undefined,
  parts: [],
  invalid: undefined,
  validTo: 0,
  hasReportedNoSeal: false,
});

/** Returns the time up to `until` that no valid seal covers. */
export function* uncovered(group: Grouping, until: number, name?: Interval['name']): Generator<Interval> {
  const from = group.covered;
  const to = Math.min(until, group.to);
  if (from >= to) return;
  group.covered = to;
  yield unsealed(name ?? { from, to }, from, to);
}

/** Reports the first item that is not a seal, if it is within the range. */
export function* reportNoSeal(group: Grouping, { from }: SealPlace): Generator<BrokenLink> {
  if (!group.hasReportedNoSeal && from >= group.at)
    yield brokenLink(from, { from }, 'an item after the seal is no seal');
  group.hasReportedNoSeal = true;
}

/**
 * Reports the last link if it is not valid, once the next one shows where its time ends. Earlier
 * steps have reported those whose time ends before the range.
 */
export function* reportInvalid(group: Grouping, to: number): Generator<BrokenLink> {
  const { invalid } = group;
  group.invalid = undefined;
  if (invalid !== undefined && (invalid.from >= group.at || to > group.at)) yield invalid.link;
}

/** Whether a link may be the very first of the chain, and whether that matters to the range. */
export function mayBeFirst({ last, at }: Grouping, link: Link): boolean {
  const statement = statementIn(link);
  if (last !== undefined || statement === undefined) return false;
  return statement.to > at && statement.previous === undefined && statement.part === 1;
}

function* addInvalid(group: Grouping, link: InvalidLink): Generator<Interval> {
  yield* uncovered(group, link.from);
  group.invalid = { link: link.invalid, from: Math.max(link.from, group.validTo) };
  group.last = link;
  group.parts = [];
}

/** Reports why a link does not follow the one before it, and the time between the two. */
function* checkLink(group: Grouping, link: ValidLink, isFirst: boolean): Generator<Interval | BrokenLink> {
  const { last, at, validTo } = group;
  const { from, to } = link.statement;
  const isInRange = to > at;
  const gap = isInRange && !isFirst ? ['a gap: the seals before it are gone'] : [];
  const problems = last === undefined ? gap : problemsOf(last, link);
  group.validTo = Math.max(to, validTo);
  yield* uncovered(group, from, isFirst ? 'before the first seal' : undefined);
  if (isInRange || Math.max(from, validTo) >= at)
    for (const what of problems) yield brokenLink(from, { from, to }, what);
}

/** Adds a link to the parts of its interval, and returns the interval if it is complete. */
function* addPart(group: Grouping, link: ValidLink): Generator<Interval> {
  const { statement } = link;
  const { from, to, part, more } = statement;
  const before = statementIn(group.last);
  // A seal that begins in the middle of the interval of another one covers nothing.
  if (before !== undefined && from > before.from && from < before.to) return;
  const isContinued = part > 1 && before !== undefined && isNextPart(before, statement);
  if (!isContinued) group.parts = [];
  group.parts.push(statement);
  group.last = link;
  if (more !== undefined || group.parts.length < part || to <= group.at) return;
  group.covered = to;
  yield intervalOf(group.parts, statement);
}

/**
 * Adds the next link. `isFirst` means that no other link was ever before it. Returns `true` after
 * the last link that the range needs.
 */
export function* addLink(
  group: Grouping,
  link: Link,
  isFirst: boolean,
): Generator<Interval | BrokenLink, boolean> {
  const isBeyond = link.from >= group.to;
  if (isBeyond && 'invalid' in link && group.covered >= group.to) return true;
  yield* reportInvalid(group, link.from);
  if ('invalid' in link) yield* addInvalid(group, link);
  else {
    yield* checkLink(group, link, isFirst);
    if (!isBeyond) yield* addPart(group, link);
  }
  return isBeyond;
}
