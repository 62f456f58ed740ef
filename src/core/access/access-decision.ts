import { covers, type Container } from '../shared/container.ts';
import {
  TRANSFORMS,
  type AccessRule,
  type Condition,
  type Grants,
  type Through,
  type Transform,
} from './access-rule.ts';
import { isAtOrBelow } from './callback-address.ts';
import type { Permission } from './permission.ts';

/**
 * The way that plaintext takes out of the vault: a stored proxy, a reactor, or a destination that
 * the caller names in the ephemeral proxy. `callback` is the place of a `callback_url`
 * (`callback-address.ts`), to which the result of the reactor goes; without one the caller itself
 * gets it.
 */
export type Way =
  | { readonly proxy: string }
  | { readonly reactor: string; readonly callback?: string }
  | 'named_by_caller';

/** A permission, and for `token:use` the way that the plaintext takes. */
export type Right = Exclude<Permission, 'token:use'> | { readonly use: Way };

export const permissionOf = (right: Right): Permission => (typeof right === 'string' ? right : 'token:use');

/** Means the id of a token that is not known. */
export const ANY_ID = Symbol('any id');

/**
 * The attributes of a token that decide access. `id` is absent for a new token without an id yet.
 */
export interface TokenAttributes {
  readonly id?: string;
  readonly containers: readonly Container[];
}

/** Grants, and the most that a request wants to see of a token. */
export interface Viewer extends Grants {
  readonly atMost?: Transform;
}

/**
 * Decides alone: a rule, or the top-level permissions, which count as a rule on `/`
 * (docs/contract.md#how-access-is-decided).
 */
export type Candidate = AccessRule | 'permissions';

/** Whether a candidate covers a token; `unknown` if that depends on an id that is not known. */
export type Match = boolean | 'unknown';

const ordered = new WeakMap<readonly AccessRule[], readonly AccessRule[]>();

/** The rules in ascending order of their priority. Long lists are asked for thousands of tokens. */
function inOrder(rules: readonly AccessRule[]): readonly AccessRule[] {
  const known = ordered.get(rules);
  if (known !== undefined) return known;
  const sorted = rules.toSorted((a, b) => a.priority - b.priority);
  ordered.set(rules, sorted);
  return sorted;
}

function holds(condition: Condition, id: string | undefined, container: Container): boolean {
  const actual = condition.attribute === 'id' ? id : container;
  if (actual === undefined) return false;
  return condition.operator === 'equals' ? actual === condition.value : actual.startsWith(condition.value);
}

/** Whether a rule applies to a token in `container`, which is one of its containers. */
function applies(rule: AccessRule, id: string | undefined | typeof ANY_ID, container: Container): Match {
  if (rule.container !== undefined) return covers(rule.container, container);
  const { conditions = [] } = rule;
  if (conditions.length === 0) return false;
  if (id !== ANY_ID) return conditions.every((condition) => holds(condition, id, container));
  const known = conditions.filter(({ attribute }) => attribute !== 'id');
  if (!known.every((condition) => holds(condition, undefined, container))) return false;
  return known.length === conditions.length ? true : 'unknown';
}

/** {@link decidingCandidate} finds this about one candidate. */
export interface Step {
  readonly candidate: Candidate;
  readonly isGranting: boolean;
  readonly matched: Match;
}

/**
 * The candidate that decides about a token in one of its containers: the first one that grants the
 * permission and covers the token. No later one is asked, whatever the first one permits. `unknown`
 * if that depends on an id that is not known. `onStep` learns of each candidate that was asked.
 */
export function decidingCandidate(
  { permissions, rules }: Grants,
  permission: Permission,
  id: string | undefined | typeof ANY_ID,
  container: Container,
  onStep?: (step: Step) => void,
): Candidate | 'unknown' | undefined {
  for (const rule of inOrder(rules)) {
    const isGranting = rule.permissions.includes(permission);
    const matched = isGranting && applies(rule, id, container);
    onStep?.({ candidate: rule, isGranting, matched });
    if (matched !== false) return matched === true ? rule : matched;
  }
  const isGranting = permissions.includes(permission);
  onStep?.({ candidate: 'permissions', isGranting, matched: isGranting });
  return isGranting ? 'permissions' : undefined;
}

/** The destinations that a candidate permits for `token:use`; `undefined` for any. */
export const throughOf = (candidate: Candidate): Through | undefined =>
  candidate === 'permissions' ? undefined : candidate.through;

/**
 * The transform of a candidate. A top-level permission implies `mask`, and `token:use` implies
 * `reveal`.
 */
export function transformOf(candidate: Candidate, permission: Permission): Transform {
  if (candidate !== 'permissions') return candidate.transform;
  return permission === 'token:use' ? 'reveal' : 'mask';
}

/** A use inserts plaintext, whatever the transform of its rule. */
export const shownFor = (transform: Transform, permission: Permission): Transform =>
  permission === 'token:use' ? 'reveal' : transform;

/** Whether a candidate that grants the permission also admits the way of a use. */
export function admits(candidate: Candidate, right: Right): boolean {
  const through = throughOf(candidate);
  if (typeof right === 'string' || through === undefined) return true;
  const way = right.use;
  if (way === 'named_by_caller') return false;
  if ('proxy' in way) return through.proxies.includes(way.proxy);
  const { reactor, callback } = way;
  if (!through.reactors.includes(reactor)) return false;
  return (
    callback === undefined || (through.callbacks ?? []).some((address) => isAtOrBelow(address, callback))
  );
}

/**
 * Whether a deciding candidate grants the permission on the token, and refuses the way of this use.
 */
export const refusesWay = (grants: Grants, right: Right, { id, containers }: TokenAttributes): boolean =>
  containers.some((container) => {
    const candidate = decidingCandidate(grants, permissionOf(right), id, container);
    return candidate !== undefined && candidate !== 'unknown' && !admits(candidate, right);
  });

/** The more restrictive of two transforms. */
export function moreRestrictive(a: Transform, b: Transform): Transform {
  return TRANSFORMS.indexOf(a) < TRANSFORMS.indexOf(b) ? a : b;
}

/**
 * The transform under which a credential may use the right on a token; `undefined` for no access
 * (docs/contract.md#how-access-is-decided). A token without containers is never accessible.
 */
export function decideAccess(viewer: Viewer, right: Right, token: TokenAttributes): Transform | undefined {
  const permission = permissionOf(right);
  let transform: Transform | undefined;
  for (const container of token.containers) {
    const candidate = decidingCandidate(viewer, permission, token.id, container);
    if (candidate === undefined || candidate === 'unknown' || !admits(candidate, right)) return undefined;
    const shown = transformOf(candidate, permission);
    transform = moreRestrictive(transform ?? shown, shown);
  }
  return transform && moreRestrictive(transform, viewer.atMost ?? 'reveal');
}

/** Whether a credential has the permission at the top level or in any rule. */
export function holdsSomewhere({ permissions, rules }: Grants, permission: Permission): boolean {
  return permissions.includes(permission) || rules.some((rule) => rule.permissions.includes(permission));
}

/** Whether a credential may use some token, if it exists, in that way. */
export function mayUseSomewhere({ permissions, rules }: Grants, use: Way): boolean {
  return (
    permissions.includes('token:use') ||
    rules.some((rule) => rule.permissions.includes('token:use') && admits(rule, { use }))
  );
}

/**
 * The containers below which a credential has the permission, under any transform. Rules with
 * conditions are left out, since a container alone does not decide them.
 */
export function containersGranted(grants: Grants, permission: Permission): readonly Container[] {
  const granting = grants.rules.filter((rule) => rule.permissions.includes(permission));
  const containers = granting.flatMap((rule) => (rule.container === undefined ? [] : [rule.container]));
  return grants.permissions.includes(permission) ? ['/', ...containers] : containers;
}
