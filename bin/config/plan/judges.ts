import { isWithin } from '../../../src/core/access/source-networks.ts';
import type { Json } from '../../../src/core/shared/json.ts';
import { textsIn } from './bodies.ts';
import type { JudgeName } from './members.ts';

/** Whether a difference is proven to give less or the same. `undefined` means an absent member. */
type Judge = (before: Json | undefined, after: Json | undefined) => boolean;

/** Networks in CIDR notation, in the form of the service. */
function isInside(inner: string, outer: string): boolean {
  const [address = '', bits] = inner.split('/');
  return isWithin([outer], address) && Number(bits) >= Number(outer.split('/')[1]);
}

/** An empty list accepts every address. */
function isNarrower(before: readonly string[], after: readonly string[]): boolean {
  if (before.length === 0) return true;
  return after.length > 0 && after.every((inner) => before.some((outer) => isInside(inner, outer)));
}

const isSubset = (before: readonly string[], after: readonly string[]): boolean =>
  after.every((entry) => before.includes(entry));

const JUDGES: Readonly<Record<JudgeName, Judge>> = {
  networks: (before, after) => isNarrower(textsIn(before), textsIn(after)),
  end: (before, after) =>
    typeof after === 'string' && (typeof before !== 'string' || Date.parse(after) <= Date.parse(before)),
  choices: (before, after) =>
    before === undefined || (after !== undefined && isSubset(textsIn(before), textsIn(after))),
  additions: (before, after) => isSubset(textsIn(before), textsIn(after)),
  amount: (before, after) => typeof before === 'number' && typeof after === 'number' && after <= before,
  guard: (_, after) => after === true,
  power: (_, after) => after === false,
};

/** Whether the judge proves that a difference gives less or the same. */
export const provesLess = (judge: JudgeName, before: Json | undefined, after: Json | undefined): boolean =>
  JUDGES[judge](before, after);
