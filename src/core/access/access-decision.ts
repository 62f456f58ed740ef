import { covers, type Container } from '../shared/container.ts';
import { TRANSFORMS, type AccessRule, type Condition, type Grants, type Transform } from './access-rule.ts';
import type { Permission } from './permission.ts';

/**
 * The attributes of a token that decide access. `id` is absent for a new token without an id yet.
 */
export interface TokenAttributes {
  readonly id?: string;
  readonly containers: readonly Container[];
}

/**
 * The transform of a top-level permission, which counts as a rule on `/`
 * (docs/contract.md#how-access-is-decided).
 */
function impliedTransform(permission: Permission): Transform {
  return permission === 'token:use' ? 'reveal' : 'mask';
}

function holds(condition: Condition, id: string | undefined, container: Container): boolean {
  const actual = condition.attribute === 'id' ? id : container;
  if (actual === undefined) return false;
  return condition.operator === 'equals' ? actual === condition.value : actual.startsWith(condition.value);
}

/** Whether a rule applies to a token in `container`, which is one of its containers. */
function applies(rule: AccessRule, id: string | undefined, container: Container): boolean {
  if (rule.container !== undefined) return covers(rule.container, container);
  if (rule.conditions === undefined || rule.conditions.length === 0) return false;
  return rule.conditions.every((condition) => holds(condition, id, container));
}

function decideForContainer(
  grants: Grants,
  permission: Permission,
  id: string | undefined,
  container: Container,
): Transform | undefined {
  const deciding = grants.rules
    .filter((rule) => rule.permissions.includes(permission) && applies(rule, id, container))
    .reduce<AccessRule | undefined>(
      (best, rule) => (best === undefined || rule.priority < best.priority ? rule : best),
      undefined,
    );
  if (deciding !== undefined) return deciding.transform;
  return grants.permissions.includes(permission) ? impliedTransform(permission) : undefined;
}

/** The more restrictive of two transforms. */
export function moreRestrictive(a: Transform, b: Transform): Transform {
  return TRANSFORMS.indexOf(a) < TRANSFORMS.indexOf(b) ? a : b;
}

/**
 * The transform under which a credential may use the permission on a token; `undefined` for no
 * access (docs/contract.md#how-access-is-decided). A token without containers is never accessible.
 */
export function decideAccess(
  grants: Grants,
  permission: Permission,
  token: TokenAttributes,
): Transform | undefined {
  let transform: Transform | undefined;
  for (const container of token.containers) {
    const decided = decideForContainer(grants, permission, token.id, container);
    if (decided === undefined) return undefined;
    transform = transform === undefined ? decided : moreRestrictive(transform, decided);
  }
  return transform;
}

/** Whether a credential has the permission at the top level or in any rule. */
export function holdsSomewhere(grants: Grants, permission: Permission): boolean {
  return (
    grants.permissions.includes(permission) ||
    grants.rules.some((rule) => rule.permissions.includes(permission))
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
