import type { Container } from '../shared/container.ts';
import { isAtOrBelow } from './callback-address.ts';
import { decidingCandidate, holdsSomewhere, throughOf, transformOf } from './access-decision.ts';
import {
  TRANSFORMS,
  type AccessRule,
  type Condition,
  type Grants,
  type Through,
  type Transform,
} from './access-rule.ts';
import type { Permission } from './permission.ts';

/*
 * Decides whether a credential may grant access. It needs at least as much itself, for every token
 * that a granted rule covers (docs/contract.md#sessions).
 */

/** A set of containers: a single one, or all that start with a text. */
type Region = { readonly only: string } | { readonly below: string };

function regionOf(condition: Condition): Region {
  return condition.operator === 'equals' ? { only: condition.value } : { below: condition.value };
}

/**
 * Regions, each of which contains all containers that a rule can apply to. A rule that names none
 * has only the region `/`.
 */
function regionsOf(rule: Pick<AccessRule, 'container' | 'conditions'>): readonly Region[] {
  if (rule.container !== undefined) return [{ below: rule.container }];
  const narrower = (rule.conditions ?? []).filter(({ attribute }) => attribute === 'container').map(regionOf);
  return narrower.length > 0 ? narrower : [{ below: '/' }];
}

/** A candidate permits this: a transform, and for `token:use` the destinations; any if absent. */
export interface Extent {
  readonly transform: Transform;
  readonly through?: Through | undefined;
}

/**
 * The extent to which a credential has a permission in one container; `undefined` if it has none.
 */
export function extentIn(grants: Grants, permission: Permission, container: Container): Extent | undefined {
  const candidate = decidingCandidate(grants, permission, undefined, container);
  if (candidate === undefined || candidate === 'unknown') return undefined;
  return {
    transform: transformOf(candidate, permission),
    through: permission === 'token:use' ? throughOf(candidate) : undefined,
  };
}

function leadsWithin(wanted: Through | undefined, owned: Through | undefined): boolean {
  if (owned === undefined) return true;
  return (
    wanted !== undefined &&
    wanted.proxies.every((id) => owned.proxies.includes(id)) &&
    wanted.reactors.every((id) => owned.reactors.includes(id)) &&
    (wanted.callbacks ?? []).every((place) =>
      (owned.callbacks ?? []).some((address) => isAtOrBelow(address, place)),
    )
  );
}

/** Whether one extent permits everything that the other one does. */
export function isAtLeast(owned: Extent | undefined, wanted: Extent): boolean {
  return (
    owned !== undefined &&
    TRANSFORMS.indexOf(owned.transform) >= TRANSFORMS.indexOf(wanted.transform) &&
    leadsWithin(wanted.through, owned.through)
  );
}

type FindExtent = (permission: Permission, container: Container) => Extent | undefined;

/** {@link extentIn}, which decides once for each permission and container. */
function extentsOf(grants: Grants): FindExtent {
  const known = new Map<Permission, Map<Container, Extent | undefined>>();
  return (permission, container) => {
    let extents = known.get(permission);
    if (extents === undefined) known.set(permission, (extents = new Map<Container, Extent | undefined>()));
    const found = extents.get(container);
    if (found !== undefined || extents.has(container)) return found;
    const extent = extentIn(grants, permission, container);
    extents.set(container, extent);
    return extent;
  };
}

/** Whether the granter may do at least as much in every container of a region. */
function coversRegion(
  granter: Grants,
  find: FindExtent,
  permission: Permission,
  wanted: Extent,
  region: Region,
): boolean {
  const allows = (container: string) => isAtLeast(find(permission, container), wanted);
  if ('only' in region) return allows(region.only);
  // The granter's access changes only at containers of its rules, so these and the root are
  // checked.
  const named = granter.rules.flatMap(({ container }) =>
    container?.startsWith(region.below) === true ? [container] : [],
  );
  return [region.below, ...named].every(allows);
}

/** The permissions that occur at the top level or in any rule, each once. */
const namesOf = ({ permissions, rules }: Grants): readonly Permission[] => [
  ...new Set([...permissions, ...rules.flatMap((rule) => rule.permissions)]),
];

/**
 * The permissions that a change of grants widens: a new one, one in more containers, one under a
 * more revealing transform, or `token:use` through more destinations. The result is exact for rules
 * with containers, since access changes only at these.
 */
export function widenedPermissions(previous: Grants, next: Grants): readonly Permission[] {
  const containers = [...previous.rules, ...next.rules].flatMap(({ container }) => container ?? []);
  const widens = (permission: Permission, container: Container): boolean => {
    const [before, after] = [previous, next].map((grants) => extentIn(grants, permission, container));
    return after !== undefined && !isAtLeast(before, after);
  };
  return namesOf(next).filter(
    (permission) =>
      !holdsSomewhere(previous, permission) ||
      ['/', ...new Set(containers)].some((container) => widens(permission, container)),
  );
}

/** The granted permissions that exceed those of the granter. */
export function permissionsBeyond(granter: Grants, granted: Grants): readonly Permission[] {
  const topLevel = granted.permissions.map((permission) => ({
    permission,
    wanted: { transform: transformOf('permissions', permission) },
    regions: [{ below: '/' }],
  }));
  const byRule = granted.rules.flatMap((rule) =>
    rule.permissions.map((permission) => ({ permission, wanted: rule, regions: regionsOf(rule) })),
  );
  const find = extentsOf(granter);
  const beyond = [...topLevel, ...byRule].filter(
    ({ permission, wanted, regions }) =>
      !regions.some((region) => coversRegion(granter, find, permission, wanted, region)),
  );
  return [...new Set(beyond.map(({ permission }) => permission))];
}

/**
 * The part of a session's grants that its authorizing application still has. If the application
 * loses access, so do its sessions.
 */
export function narrowGrants(authorizer: Grants | undefined, granted: Grants): Grants {
  const beyond = authorizer === undefined ? [] : permissionsBeyond(authorizer, granted);
  const without = (permissions: readonly Permission[]) =>
    permissions.filter((permission) => !beyond.includes(permission));
  return {
    permissions: without(granted.permissions),
    rules: granted.rules.map((rule) => ({ ...rule, permissions: without(rule.permissions) })),
  };
}
