import type { Caller } from './caller.ts';
import { ServiceError } from '../shared/service-error.ts';
import { decideAccess, holdsSomewhere, type TokenAttributes } from './access-decision.ts';
import type { Transform } from './access-rule.ts';
import { holdersOf, isLegalFor, type Permission } from './permission.ts';

/** Whose permissions decide a request, for the message: it depends on the kind of credential. */
const HOLDERS: Readonly<Record<Caller['actsBy'], string>> = {
  own_key: 'This application',
  session: 'This session',
  invocation: "The reactor's application",
  reactor: 'The invoking application',
};

/** Advice for the message: how a caller could get a permission that it does not have. */
function wayOut({ type, actsBy }: Caller, permission: Permission): string {
  if (type === 'session') return `${HOLDERS.session} was not granted it.`;
  return isLegalFor(permission, type)
    ? `${HOLDERS[actsBy]} was not granted it.`
    : `A ${type} application cannot hold it: use the key of a ${holdersOf(permission)} application.`;
}

const required = (permission: Permission) => `The permission ${permission} is required.`;

/**
 * Throws `forbidden` unless the caller has the permission somewhere. The message names who could
 * have it.
 */
export function requirePermission(caller: Caller, permission: Permission): void {
  if (holdsSomewhere(caller, permission)) return;
  throw new ServiceError('forbidden', `${required(permission)} ${wayOut(caller, permission)}`);
}

/**
 * The transform under which the caller may act on the token; throws `forbidden` if no rule permits
 * it.
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
