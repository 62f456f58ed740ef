import type { Caller } from '../applications/application.ts';
import { ServiceError } from '../shared/service-error.ts';
import { decideAccess, holdsSomewhere, type TokenAttributes } from './access-decision.ts';
import type { Transform } from './access-rule.ts';
import { holdersOf, isLegalFor, type Permission } from './permission.ts';

/** Whose permissions count, by what makes the request. */
const HOLDERS: Readonly<Record<Caller['actsBy'], string>> = {
  own_key: 'This application',
  session: 'This session',
  invocation: "The reactor's application",
  reactor: 'The invoking application',
};

/** What a caller could do about a permission that it does not hold. */
function wayOut({ type, actsBy }: Caller, permission: Permission): string {
  if (type === 'session') return `${HOLDERS.session} was not granted it.`;
  return isLegalFor(permission, type)
    ? `${HOLDERS[actsBy]} was not granted it.`
    : `A ${type} application cannot hold it: use the key of a ${holdersOf(permission)} application.`;
}

const required = (permission: Permission) => `The permission ${permission} is required.`;

/**
 * Throws `forbidden` unless the caller holds the permission somewhere. Says who could hold it.
 */
export function requirePermission(caller: Caller, permission: Permission): void {
  if (holdsSomewhere(caller, permission)) return;
  throw new ServiceError('forbidden', `${required(permission)} ${wayOut(caller, permission)}`);
}

/**
 * The transform under which the caller may act on the token; throws `forbidden` if no rule decides
 * for it.
 */
export function requireAccess(caller: Caller, permission: Permission, token: TokenAttributes): Transform {
  requirePermission(caller, permission);
  const transform = decideAccess(caller, permission, token);
  if (transform !== undefined) return transform;
  throw new ServiceError(
    'forbidden',
    `${required(permission)} The caller holds it, but by no rule that covers every container of this token.`,
  );
}
