import { isJsonObject, type Json, type JsonObject } from '../../../src/core/shared/json.ts';
import { memberPath } from '../../../src/core/shared/member-path.ts';
import type { Difference, Gives } from '../model.ts';
import { textIn } from './bodies.ts';
import { provesLess } from './judges.ts';
import { TRANSFORMS, type JudgeName, type Members, type Treatment } from './members.ts';
import { wordsOfChange } from './words.ts';

/** JSON text in which the order of members does not matter. */
export function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value === undefined) return '';
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).toSorted();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`;
}

const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  canonical(one) === canonical(other);

const WITHOUT_JUDGE: Readonly<Record<Exclude<Treatment, JudgeName>, Gives>> = {
  harmless: 'less or same',
  decided: 'more',
  shown: 'more',
  hidden: 'more',
  digest: 'more',
  // These are no differences of a member. If one is compared after all, a person looks at it.
  computed: 'more',
  identity: 'more',
  fixed: 'more',
  sent: 'more',
};

const hasJudge = (treatment: Treatment): treatment is JudgeName => !Object.hasOwn(WITHOUT_JUDGE, treatment);

function givesOf(treatment: Treatment, before: Json | undefined, after: Json | undefined): Gives {
  if (!hasJudge(treatment)) return WITHOUT_JUDGE[treatment];
  return provesLess(treatment, before, after) ? 'less or same' : 'more';
}

/** Compares two normal forms. */
export interface Comparison {
  readonly members: Members;
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** Names an id in words: that of an application, proxy or reactor. */
  readonly nameOf: (id: string) => string;
}

/** Throws for a member that the table lacks, which was to be refused before. */
function treatmentOf(members: Members, path: string): Treatment {
  const treatment = Object.hasOwn(members, path) ? members[path] : undefined;
  if (treatment === undefined) throw new Error(`plan: the table has no member ${path}`);
  return treatment;
}

interface Place {
  /** Where the table has the member. */
  readonly path: string;
  /** Where the difference is. */
  readonly at: string;
}

function inObject(comparison: Comparison, { path, at }: Place): readonly Difference[] {
  const { before, after, members } = comparison;
  const order = Object.keys(members);
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted(
    (one, other) => order.indexOf(memberPath(path, one)) - order.indexOf(memberPath(path, other)),
  );
  return names.flatMap((name) => {
    const place = { path: memberPath(path, name), at: memberPath(at, name) };
    const old = before[name];
    const next = after[name];
    if (isSame(old, next)) return [];
    const hasMembers = Object.keys(members).some((each) => each.startsWith(`${place.path}.`));
    if (hasMembers && (old === undefined || isJsonObject(old)) && (next === undefined || isJsonObject(next)))
      return inObject({ ...comparison, before: old ?? {}, after: next ?? {} }, place);
    return [oneDifference(comparison, place, old, next)];
  });
}

function oneDifference(
  { members, nameOf }: Comparison,
  { path, at }: Place,
  before: Json | undefined,
  after: Json | undefined,
): Difference {
  const treatment = treatmentOf(members, path);
  return {
    // A resource is named by its id.
    path: at.replace(/\.id$/, ''),
    words: wordsOfChange(treatment, before, after, nameOf),
    gives: givesOf(treatment, before, after),
  };
}

/** Every member that differs. */
export const differencesOf = (comparison: Comparison): readonly Difference[] =>
  inObject(comparison, { path: '', at: '' });

/** Says in a few words what a transform is. */
const titleOf = (transform: JsonObject): string =>
  ['type', 'name', 'location', 'matcher', 'scheme']
    .flatMap((member) => (typeof transform[member] === 'string' ? [transform[member]] : []))
    .join(' ');

/** Compares the transforms of one side, place by place. */
export function differencesOfTransforms(
  side: 'request_transforms' | 'response_transforms',
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  nameOf: Comparison['nameOf'],
): readonly Difference[] {
  return Array.from({ length: Math.max(before.length, after.length) }, (_, index) => index).flatMap(
    (index): readonly Difference[] => {
      const old = before[index];
      const next = after[index];
      const path = memberPath(side, index);
      if (isSame(old, next)) return [];
      if (old !== undefined && next !== undefined && old['type'] === next['type']) {
        const members = TRANSFORMS[textIn(next, 'type') ?? ''] ?? {};
        return inObject({ members, before: old, after: next, nameOf }, { path: '', at: path });
      }
      const [from, to] = [old, next].map((each) => (each === undefined ? undefined : titleOf(each)));
      return [{ path, words: wordsOfChange('shown', from, to, nameOf), gives: 'more' }];
    },
  );
}
