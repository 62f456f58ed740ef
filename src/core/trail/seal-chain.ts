import type { KeyObject } from 'node:crypto';
import {
  END_OF_TIME,
  hashOfSeal,
  hasValidSignature,
  MAX_INTERVAL_MS,
  statementOf,
  type SealedIndex,
  type SealEntry,
  type SealStatement,
} from './seal.ts';
import type { Seal, SealHead, SealReader } from './trail-store.ts';

/** The inputs for checking the chain of seals. */
export interface ChainDeps {
  readonly seals: SealReader;
  readonly head: Pick<SealHead, 'read'>;
  /** Pinned: it comes from outside the data that is verified. */
  readonly publicKey: KeyObject;
}

/** An inconsistency of the trail. */
export interface Broken {
  /** `to` is absent if the seal does not state it. */
  readonly interval:
    { readonly from: number; readonly to?: number } | 'not sealed yet' | 'before the first seal';
  readonly trail?: string;
  /** The record, `shard:position`. An attacker may have chosen any text. */
  readonly place?: string;
  readonly what: string;
}

/** An interval that one seal covers, in one or more parts; or a time without a seal. */
export interface Interval {
  readonly name: Broken['interval'];
  readonly from: number;
  readonly to: number;
  /** Number of seals; 0 for a time without a seal. */
  readonly seals: number;
  readonly entries: ReadonlyMap<string, SealEntry>;
  /** The indexes that its seals name. */
  readonly indexes: readonly SealedIndex[];
  /** Since 1970 in seconds. */
  readonly expires: number;
}

/** The chain differs here from the one that was written. */
export class BrokenLink {
  /** Start of the seal, in ms since the epoch. */
  readonly at: number;

  readonly broken: Broken;

  constructor(at: number, interval: Broken['interval'], what: string) {
    this.at = at;
    this.broken = { interval, what };
  }
}

type ValidLink = SealPlace & { readonly statement: SealStatement; readonly hash: string };
type InvalidLink = SealPlace & { readonly invalid: BrokenLink; readonly hash: string };

interface SealPlace {
  readonly from: number;
  readonly part: number;
}

/** A seal, with its statement only if that is signed. */
export function linkOf(publicKey: KeyObject, seal: Seal): ValidLink | InvalidLink {
  const hash = hashOfSeal(seal).toString('base64url');
  const { from, part } = seal;
  try {
    const statement = statementOf(seal);
    const { to } = statement;
    if (hasValidSignature(publicKey, seal)) return { from, part, hash, statement };
    const what = 'the signature of the seal is not valid under the key';
    return { from, part, hash, invalid: new BrokenLink(from, { from, to }, what) };
  } catch {
    return { from, part, hash, invalid: new BrokenLink(from, { from }, 'the seal cannot be read') };
  }
}

function isNextPart(before: SealStatement, { from, to, part }: SealStatement): boolean {
  const isSame = from === before.from && to === before.to;
  return isSame && before.more !== undefined && part === before.part + 1;
}

/** Why a seal does not directly follow the one before it. */
function* problemsOf(last: ValidLink | InvalidLink, { statement }: ValidLink): Generator<string> {
  const { from, part, previous, entries } = statement;
  const before = 'invalid' in last ? undefined : last.statement;
  if (before !== undefined) {
    const isNext = before.more === undefined && from === before.to && part === 1;
    const end = new Date(before.to).toISOString();
    const where = before.more === undefined ? 'one' : `part ${String(before.part)}, not the last,`;
    if (!isNext && !isNextPart(before, statement)) {
      yield `a gap: the seal before it is ${where} up to ${end}`;
      return;
    }
  }
  if (previous !== last.hash) yield 'the seal names another one as that before it';
  if (before === undefined || !isNextPart(before, statement)) return;
  const [lastTrail, firstTrail] = [before.more, entries[0]?.[0]];
  if (lastTrail !== undefined && firstTrail !== undefined && firstTrail <= lastTrail)
    yield 'two parts of the seal name the same trails';
}

export function intervalOf(parts: readonly SealStatement[], { from, to }: SealStatement): Interval {
  return {
    ...{ name: { from, to }, from, to, seals: parts.length },
    entries: new Map(parts.flatMap(({ entries }) => entries.map((entry) => [entry[0], entry] as const))),
    indexes: parts.flatMap(({ indexes = [] }) => indexes),
    expires: Math.min(...parts.map(({ expires }) => expires ?? Infinity)),
  };
}

const unsealed = (name: Interval['name'], from: number, to: number): Interval => ({
  ...{ name, from, to, seals: 0, entries: new Map<string, SealEntry>(), indexes: [], expires: Infinity },
});

async function isAnySealBefore(seals: SealReader, time: number): Promise<boolean> {
  for await (const page of seals.seals(0, time)) if (page.length > 0) return true;
  return false;
}

/** Reads the seals of a range in order and turns them into intervals and failures. */
class ChainWalk {
  readonly #deps: ChainDeps;

  readonly #at: number;

  readonly #to: number;

  /** The last seal that later ones can follow. */
  #last: ValidLink | InvalidLink | undefined;

  /** The last seal that was read. */
  #read: SealPlace | undefined;

  /** The parts so far of an interval without a failure; empty otherwise. */
  #parts: SealStatement[] = [];

  #hasJunk = false;

  /** A seal that is not valid and was not reported yet. */
  #invalid: { readonly link: BrokenLink; readonly from: number } | undefined;

  /** The end of the last valid seal. */
  #validTo = 0;

  /** The intervals up to here were returned. */
  #covered: number;

  constructor(deps: ChainDeps, at: number, to: number) {
    this.#deps = deps;
    this.#at = at;
    this.#to = to;
    this.#covered = at;
  }

  /** The time without a valid seal up to some time. */
  *#uncovered(until: number, name?: Interval['name']): Generator<Interval> {
    const [from, to] = [this.#covered, Math.min(until, this.#to)];
    if (from >= to) return;
    this.#covered = to;
    yield unsealed(name ?? { from, to }, from, to);
  }

  /** Reports an item whose key is no place of a seal: real ones are read in order. */
  *#junk(before: SealPlace): Generator<BrokenLink> {
    if (!this.#hasJunk && before.from >= this.#at)
      yield new BrokenLink(before.from, { from: before.from }, 'an item after the seal is no seal');
    this.#hasJunk = true;
  }

  /**
   * Reports the last seal if it is not valid, once the next one shows where its time ends. Earlier
   * steps have reported those whose time ends before the range.
   */
  *#reportInvalid(to: number): Generator<BrokenLink> {
    const invalid = this.#invalid;
    this.#invalid = undefined;
    if (invalid !== undefined && (invalid.from >= this.#at || to > this.#at)) yield invalid.link;
  }

  /** Returns `true` after the last seal that the range needs. */
  async *#readSeal(seal: Seal): AsyncGenerator<Interval | BrokenLink, boolean> {
    const link = linkOf(this.#deps.publicKey, seal);
    const isBeyond = link.from >= this.#to;
    if (isBeyond && 'invalid' in link && this.#covered >= this.#to) return true;
    yield* this.#reportInvalid(link.from);
    if ('invalid' in link) {
      yield* this.#uncovered(link.from);
      this.#invalid = { link: link.invalid, from: Math.max(link.from, this.#validTo) };
      [this.#last, this.#parts] = [link, []];
      return isBeyond;
    }
    const last = this.#last;
    const { statement } = link;
    const { from, to, part, more } = statement;
    const isInRange = to > this.#at;
    const isReported = isInRange || Math.max(from, this.#validTo) >= this.#at;
    this.#validTo = Math.max(to, this.#validTo);
    let problems: string[] = [];
    if (last !== undefined) problems = [...problemsOf(last, link)];
    else if (isInRange) {
      const isFirst = statement.previous === undefined && part === 1;
      const isBegin = isFirst && !(await isAnySealBefore(this.#deps.seals, from));
      if (isBegin) yield* this.#uncovered(from, 'before the first seal');
      else problems = ['a gap: the seals before it are gone'];
    }
    yield* this.#uncovered(from);
    if (isReported) for (const what of problems) yield new BrokenLink(from, { from, to }, what);
    if (isBeyond) return true;
    const before = last !== undefined && 'statement' in last ? last.statement : undefined;
    // A seal in the middle of the interval of another one covers nothing.
    if (before !== undefined && from > before.from && from < before.to) return false;
    if (part === 1) this.#parts = [];
    else if (before === undefined || !isNextPart(before, statement)) this.#parts = [];
    this.#parts.push(statement);
    this.#last = link;
    if (more !== undefined || this.#parts.length < part || !isInRange) return false;
    this.#covered = to;
    yield intervalOf(this.#parts, statement);
    return false;
  }

  /** The newest seal, if it is older than the seals of the range. */
  async #olderSeal(start: number): Promise<Seal | 'expected' | undefined> {
    const newest = await this.#deps.seals.newest();
    return newest !== undefined && newest.from >= start ? 'expected' : newest;
  }

  *#headProblem(head: Buffer | undefined): Generator<BrokenLink> {
    const last = this.#last;
    if (last === undefined) return;
    const statement = 'statement' in last ? last.statement : undefined;
    // A sealer that dies between the two writes leaves the head one seal behind.
    const named = head?.toString('base64url');
    if (named === last.hash || (statement !== undefined && named === statement.previous)) return;
    const from = statement?.to ?? last.from;
    yield new BrokenLink(from, { from }, 'the newest seals are gone: the head is another seal');
  }

  async *run(): AsyncGenerator<Interval | BrokenLink> {
    // The seal before that of `at` begins within the last two intervals, even of maximum length.
    const start = Math.max(0, this.#at - 2 * MAX_INTERVAL_MS);
    let isExpected = false;
    for (let pass = 0; ; pass += 1) {
      // Read the head before the seals: then the seal that it names is among them.
      const head = await this.#deps.head.read();
      const known = this.#read;
      for await (const page of this.#deps.seals.seals(this.#read?.from ?? start, END_OF_TIME))
        for (const seal of page) {
          const read = this.#read;
          if (read !== undefined && seal.from < read.from) yield* this.#junk(read);
          if (read !== undefined && (seal.from - read.from || seal.part - read.part) <= 0) continue;
          this.#read = { from: seal.from, part: seal.part };
          if (yield* this.#readSeal(seal)) {
            yield* this.#reportInvalid(Infinity);
            return;
          }
        }
      if (this.#covered >= this.#to) {
        yield* this.#reportInvalid(Infinity);
        return;
      }
      if (this.#read === undefined) {
        const newest = await this.#olderSeal(start);
        // The seal was inserted after they were read: the next pass finds it.
        if (newest === 'expected' && isExpected)
          throw new Error('audit: the newest seal is not among the seals');
        isExpected ||= newest === 'expected';
        if (newest === 'expected') continue;
        if (newest !== undefined) {
          this.#read = { from: newest.from, part: newest.part };
          this.#last = linkOf(this.#deps.publicKey, newest);
          if ('invalid' in this.#last) yield this.#last.invalid;
          continue;
        }
        if (pass === 0) continue;
        if (head !== undefined)
          yield new BrokenLink(this.#at, { from: this.#at }, 'all seals are gone: there is a head');
        break;
      }
      // The head moves as long as there are new seals.
      if (pass === 0 || known !== this.#read) continue;
      yield* this.#headProblem(head);
      break;
    }
    yield* this.#reportInvalid(Infinity);
    yield* this.#uncovered(this.#to, 'not sealed yet');
  }
}

/**
 * The intervals of a range in order, unsealed ones too, and the failures of the chain, each before
 * the interval of its seal. Checks the chain from the seal before the range, and the head if the
 * range reaches it. The time of a seal that is not valid counts as unsealed.
 */
export function intervalsOf(deps: ChainDeps, at: number, to: number): AsyncGenerator<Interval | BrokenLink> {
  return new ChainWalk(deps, at, to).run();
}
