import type { KeyObject } from 'node:crypto';
import {
  END_OF_TIME,
  hashOfSeal,
  hasValidSignature,
  MAX_INTERVAL_MS,
  statementOf,
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

/** The first inconsistency, in order of time. */
export interface Broken {
  /** `to` is absent if the seal does not state it. */
  readonly interval:
    { readonly from: number; readonly to?: number } | 'not sealed yet' | 'before the first seal';
  readonly trail?: string;
  /** The record, `shard:position`. */
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
  /** Since 1970 in seconds. */
  readonly expires: number;
}

/** From here on the chain differs from the one that was written. */
export class BrokenChain extends Error {
  readonly broken: Broken;

  constructor(interval: Broken['interval'], what: string) {
    super(what);
    this.broken = { interval, what };
  }
}

interface Link {
  readonly statement: SealStatement;
  readonly hash: string;
}

/** A seal with a valid statement and signature; throws a {@link BrokenChain} for any other. */
export function linkOf(publicKey: KeyObject, seal: Seal): Link {
  let statement: SealStatement;
  try {
    statement = statementOf(seal);
  } catch {
    throw new BrokenChain({ from: seal.from }, 'the seal cannot be read');
  }
  const { from, to } = statement;
  if (!hasValidSignature(publicKey, seal))
    throw new BrokenChain({ from, to }, 'the signature of the seal is not valid under the key');
  return { statement, hash: hashOfSeal(seal).toString('base64url') };
}

/** Throws a {@link BrokenChain} unless a seal directly follows the one before it. */
function checkFollows(last: Link, { statement }: Link): void {
  const { from, to, part, parts, previous, entries } = statement;
  const before = last.statement;
  const isNextPart =
    from === before.from && to === before.to && parts === before.parts && part === before.part + 1;
  const isNext = before.part === before.parts && from === before.to && part === 1;
  if (!isNextPart && !isNext) {
    const end = new Date(before.to).toISOString();
    const where = `part ${String(before.part)} of ${String(before.parts)}`;
    throw new BrokenChain({ from, to }, `a gap: the seal before it is ${where} up to ${end}`);
  }
  if (previous !== last.hash)
    throw new BrokenChain({ from, to }, 'the seal names another one as that before it');
  const [lastTrail, firstTrail] = [before.entries.at(-1)?.[0], entries[0]?.[0]];
  if (isNextPart && lastTrail !== undefined && firstTrail !== undefined && firstTrail <= lastTrail)
    throw new BrokenChain({ from, to }, 'two parts of the seal name the same trails');
}

export function intervalOf(parts: readonly SealStatement[], { from, to }: SealStatement): Interval {
  return {
    ...{ name: { from, to }, from, to, seals: parts.length },
    entries: new Map(parts.flatMap(({ entries }) => entries.map((entry) => [entry[0], entry] as const))),
    expires: Math.min(...parts.map(({ expires }) => expires ?? Infinity)),
  };
}

const unsealed = (name: 'not sealed yet' | 'before the first seal', from: number, to: number): Interval => ({
  ...{ name, from, to, seals: 0, entries: new Map<string, SealEntry>(), expires: Infinity },
});

async function isAnySealBefore(seals: SealReader, time: number): Promise<boolean> {
  for await (const page of seals.seals(0, time)) if (page.length > 0) return true;
  return false;
}

/**
 * The intervals of a range in order, unsealed ones too. Checks the chain from the seal before it,
 * and the head if the range reaches it. Throws {@link BrokenChain} after the last valid interval.
 */
export async function* intervalsOf(deps: ChainDeps, at: number, to: number): AsyncGenerator<Interval> {
  // The seal before that of `at` begins within the last two intervals, even of maximum length.
  const start = Math.max(0, at - 2 * MAX_INTERVAL_MS);
  let last: Link | undefined;
  let parts: SealStatement[] = [];
  let isExpected = false;
  for (let pass = 0; ; pass += 1) {
    // Read the head before the seals: then the seal that it names is among them.
    const head = await deps.head.read();
    const known = last;
    for await (const page of deps.seals.seals(last?.statement.from ?? start, END_OF_TIME))
      for (const seal of page) {
        const before = last?.statement;
        if (before !== undefined && seal.from === before.from && seal.part <= before.part) continue;
        const link = linkOf(deps.publicKey, seal);
        const { statement } = link;
        if (last !== undefined) checkFollows(last, link);
        else if (statement.to > at) {
          const isFirst = statement.previous === undefined && statement.part === 1;
          if (!isFirst || (await isAnySealBefore(deps.seals, statement.from)))
            throw new BrokenChain(
              { from: statement.from, to: statement.to },
              'a gap: the seals before it are gone',
            );
          if (statement.from > at) yield unsealed('before the first seal', at, Math.min(statement.from, to));
        }
        last = link;
        if (statement.from >= to) return;
        parts.push(statement);
        if (statement.part < statement.parts) continue;
        if (statement.to > at) yield intervalOf(parts, statement);
        parts = [];
      }
    const { statement } = last ?? {};
    if (statement !== undefined && parts.length === 0 && statement.to >= to) return;
    if (last === undefined) {
      const newest = await deps.seals.newest();
      if (newest !== undefined && newest.from >= start) {
        // The seal was inserted after they were read: the next pass finds it.
        if (isExpected) throw new Error('audit: the newest seal is not among the seals');
        isExpected = true;
        continue;
      }
      if (newest !== undefined) {
        last = linkOf(deps.publicKey, newest);
        continue;
      }
      if (pass === 0) continue;
      if (head !== undefined) throw new BrokenChain({ from: at }, 'all seals are gone: there is a head');
      break;
    }
    // The head moves as long as there are new seals.
    if (pass === 0 || known !== last) continue;
    // A sealer that dies between the two writes leaves the head one seal behind.
    const named = head?.toString('base64url');
    if (named !== last.hash && named !== last.statement.previous)
      throw new BrokenChain(
        { from: last.statement.to },
        'the newest seals are gone: the head is another seal',
      );
    break;
  }
  const sealedTo = parts[0]?.from ?? last?.statement.to ?? at;
  if (sealedTo < to) yield unsealed('not sealed yet', Math.max(at, sealedTo), to);
}
