import { isJsonObject, type Json } from '../../../src/core/shared/json.ts';
import type { Treatment } from './members.ts';

const SHORT = 12;

/** Shows the beginning of a digest in hex. */
const shortDigest = (digest: string): string => `sha256:${digest.slice(0, SHORT)}`;

type NameOf = (id: string) => string;

const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

function textOf(value: Json, treatment: Treatment, nameOf: NameOf): string {
  if (typeof value === 'string')
    return treatment === 'digest' && isDigest(value) ? shortDigest(value) : nameOf(value);
  return isJsonObject(value) && typeof value['id'] === 'string' && Object.keys(value).length === 1
    ? nameOf(value['id'])
    : JSON.stringify(value);
}

const isTexts = (value: Json | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** For these, a list without an entry means everything. */
const ALL_IF_EMPTY: ReadonlySet<Treatment> = new Set(['choices', 'networks'] as const);

/** Says which entries of a list come and go; an absent list is empty here. */
function wordsOfLists(treatment: Treatment, before: readonly string[], after: readonly string[]): string {
  const isOpen = ALL_IF_EMPTY.has(treatment);
  if (isOpen && before.length === 0) return `all -> ${after.join(', ')}`;
  if (isOpen && after.length === 0) return `${before.join(', ')} -> all`;
  const added = after.filter((each) => !before.includes(each));
  const gone = before.filter((each) => !after.includes(each));
  const parts = [
    ...(added.length > 0 ? [`adds ${added.join(', ')}`] : []),
    ...(gone.length > 0 ? [`removes ${gone.join(', ')}`] : []),
  ];
  return parts.length === 0 ? 'another order' : parts.join('; ');
}

/** Says how a member changes, without the text of a hidden one. */
export function wordsOfChange(
  treatment: Treatment,
  before: Json | undefined,
  after: Json | undefined,
  nameOf: NameOf,
): string {
  if (treatment === 'hidden')
    return before === undefined ? 'set' : after === undefined ? 'removed' : 'another one';
  const lists = [before ?? [], after ?? []];
  const [old, next] = lists.filter(isTexts);
  if (old !== undefined && next !== undefined) return wordsOfLists(treatment, old, next);
  const [from, to] = [before, after].map((value) =>
    value === undefined ? undefined : textOf(value, treatment, nameOf),
  );
  if (from === undefined) return to ?? '';
  return to === undefined ? `${from} -> none` : `${from} -> ${to}`;
}
