import type { KeyObject } from 'node:crypto';
import { hashOfSeal, hasValidSignature, statementOf, type SealStatement } from './seal.ts';
import type { Seal } from './trail-store.ts';

/** A failure that verification found in the trail. */
export interface Broken {
  /** `to` is absent if the seal does not state it. */
  readonly interval:
    | { readonly from: number; readonly to?: number }
    | 'not sealed yet'
    | 'before the first seal';
  readonly trail?: string;
  /** The record, as `shard:position`. An attacker may have chosen any text. */
  readonly place?: string;
  readonly what: string;
}

/** Describes a place where the chain differs from the one that was written. */
export interface BrokenLink {
  /** The time at which the seal begins, in ms since the epoch. */
  readonly at: number;
  readonly broken: Broken;
}

export const brokenLink = (at: number, interval: Broken['interval'], what: string): BrokenLink => ({
  at,
  broken: { interval, what },
});

/** Identifies a seal in the order of seals. */
export interface SealPlace {
  readonly from: number;
  readonly part: number;
}

export type ValidLink = SealPlace & { readonly statement: SealStatement; readonly hash: string };
export type InvalidLink = SealPlace & { readonly invalid: BrokenLink; readonly hash: string };
export type Link = ValidLink | InvalidLink;

/** The statement of a link; `undefined` without a link, and for one that is not valid. */
export const statementIn = (link: Link | undefined): SealStatement | undefined =>
  link !== undefined && 'statement' in link ? link.statement : undefined;

/** A seal, with its statement only if that is signed. */
export function linkOf(publicKey: KeyObject, seal: Seal): Link {
  const hash = hashOfSeal(seal).toString('base64url');
  const { from, part } = seal;
  try {
    const statement = statementOf(seal);
    const { to } = statement;
    if (hasValidSignature(publicKey, seal)) return { from, part, hash, statement };
    const what = 'the signature of the seal is not valid under the key';
    return { from, part, hash, invalid: brokenLink(from, { from, to }, what) };
  } catch {
    return { from, part, hash, invalid: brokenLink(from, { from }, 'the seal cannot be read') };
  }
}

/** Whether a statement is about the next part of the interval of another one. */
export function isNextPart(before: SealStatement, { from, to, part }: SealStatement): boolean {
  const isSame = from === before.from && to === before.to;
  return isSame && before.more !== undefined && part === before.part + 1;
}

/**
 * The reason why there is a gap between a seal and the one before it; `undefined` without a gap.
 */
function gapAfter(before: SealStatement, next: SealStatement): string | undefined {
  const isNext = before.more === undefined && next.from === before.to && next.part === 1;
  if (isNext || isNextPart(before, next)) return undefined;
  const where = before.more === undefined ? 'one' : `part ${String(before.part)}, not the last,`;
  return `a gap: the seal before it is ${where} up to ${new Date(before.to).toISOString()}`;
}

/** Whether the first trail of the next part is one that the part before it should have had. */
function hasSameTrails({ more }: SealStatement, { entries }: SealStatement): boolean {
  const first = entries[0]?.[0];
  return more !== undefined && first !== undefined && first <= more;
}

/** The reasons why a seal does not directly follow the one before it. */
export function problemsOf(last: Link, { statement }: ValidLink): readonly string[] {
  const before = statementIn(last);
  const gap = before && gapAfter(before, statement);
  if (gap !== undefined) return [gap];
  const problems: string[] = [];
  if (statement.previous !== last.hash) problems.push('the seal names another one as that before it');
  if (before !== undefined && isNextPart(before, statement) && hasSameTrails(before, statement))
    problems.push('two parts of the seal name the same trails');
  return problems;
}
