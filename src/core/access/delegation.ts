import { decideAccess } from './access-decision.ts';
import { TRANSFORMS, type AccessRule, type Condition, type Grants, type Transform } from './access-rule.ts';
import type { Permission } from './permission.ts';

/*
 * Whether one credential may hand on what it was granted: for every token that the granted rule
 * lets somebody touch, the granter must itself be let, under a transform at least as revealing
 * (docs/contract.md#sessions).
 *
 * What a granter may do is the same for all containers that the same of its rules cover, and those
 * change only at the containers that its rules name. So it is enough to look at the root of what is
 * granted and at each container that the granter's rules name below it.
 */

/** A set of containers: one alone, or all that start with a text. */
type Region = { readonly only: string } | { readonly below: string };

function regionOf(condition: Condition): Region {
  return condition.operator === 'equals' ? { only: condition.value } : { below: condition.value };
}

/**
 * Regions each of which holds all containers that a rule is about; `/` is one, if nothing narrower
 * is known.
 */
function regionsOf(rule: Pick<AccessRule, 'container' | 'conditions'>): readonly Region[] {
  if (rule.container !== undefined) return [{ below: rule.container }];
  const narrower = (rule.conditions ?? []).filter(({ attribute }) => attribute === 'container').map(regionOf);
  return narrower.length > 0 ? narrower : [{ below: '/' }];
}

function isAtLeast(transform: Transform | undefined, wanted: Transform): boolean {
  return transform !== undefined && TRANSFORMS.indexOf(transform) >= TRANSFORMS.indexOf(wanted);
}

/** Whether the granter may do at least as much in every container of a region. */
function coversRegion(
  granter: Grants,
  permission: Permission,
  transform: Transform,
  region: Region,
): boolean {
  const allows = (container: string) =>
    isAtLeast(decideAccess(granter, permission, { containers: [container] }), transform);
  if ('only' in region) return allows(region.only);
  const named = granter.rules.flatMap(({ container }) =>
    container?.startsWith(region.below) === true ? [container] : [],
  );
  return [region.below, ...named].every(allows);
}

/** The granted permissions that go beyond what the granter holds itself; empty if none does. */
export function permissionsBeyond(granter: Grants, granted: Grants): readonly Permission[] {
  const topLevel = granted.permissions.map((permission) => ({
    permission,
    transform: permission === 'token:use' ? ('reveal' as const) : ('mask' as const),
    regions: [{ below: '/' }],
  }));
  const byRule = granted.rules.flatMap((rule) =>
    rule.permissions.map((permission) => ({
      permission,
      transform: rule.transform,
      regions: regionsOf(rule),
    })),
  );
  const beyond = [...topLevel, ...byRule].filter(
    ({ permission, transform, regions }) =>
      !regions.some((region) => coversRegion(granter, permission, transform, region)),
  );
  return [...new Set(beyond.map(({ permission }) => permission))];
}

/**
 * What the authorizing application still holds of what it gave: when it is narrowed, its sessions
 * are.
 */
export function stillHeld(authorizer: Grants | undefined, granted: Grants): Grants {
  const beyond = authorizer === undefined ? [] : permissionsBeyond(authorizer, granted);
  const without = (permissions: readonly Permission[]) =>
    permissions.filter((permission) => !beyond.includes(permission));
  return {
    permissions: without(granted.permissions),
    rules: granted.rules.map((rule) => ({ ...rule, permissions: without(rule.permissions) })),
  };
}
