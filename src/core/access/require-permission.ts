import { ServiceError } from '../shared/service-error.ts';
import { decideAccess, holdsSomewhere, type TokenAttributes } from './access-decision.ts';
import type { Grants, Transform } from './access-rule.ts';
import type { Permission } from './permission.ts';

function missing(permission: Permission): ServiceError {
  return new ServiceError('forbidden', `The permission ${permission} is required.`);
}

/** Throws `forbidden` unless the credential holds the permission somewhere. */
export function requirePermission(grants: Grants, permission: Permission): void {
  if (!holdsSomewhere(grants, permission)) throw missing(permission);
}

/**
 * The transform under which the credential may act on the token; throws `forbidden` if no rule
 * decides for it.
 */
export function requireAccess(grants: Grants, permission: Permission, token: TokenAttributes): Transform {
  const transform = decideAccess(grants, permission, token);
  if (transform === undefined) throw missing(permission);
  return transform;
}
