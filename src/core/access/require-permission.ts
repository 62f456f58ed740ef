import type { Caller } from './caller.ts';
import { ServiceError } from '../shared/service-error.ts';
import {
  decideAccess,
  holdsSomewhere,
  mayUseSomewhere,
  permissionOf,
  refusesWay,
  type Right,
  type TokenAttributes,
  type Way,
} from './access-decision.ts';
import type { Transform } from './access-rule.ts';
import { holdersOf, isLegalFor, satisfying, type Permission } from './permission.ts';

/** Whose permissions decide a request, for the message: it depends on the kind of credential. */
const HOLDERS: Readonly<Record<Caller['actsBy'], string>> = {
  own_key: 'This application',
  session: 'This session',
  invocation: "The reactor's application",
  reactor: 'The invoking application',
  proxy: 'The application of the proxy',
};

/** Advice for the message: how a caller could get a permission that it does not have. */
function wayOut({ type, actsBy }: Caller, permission: Permission): string {
  if (type === 'session') return `${HOLDERS.session} was not granted it.`;
  return isLegalFor(permission, type)
    ? `${HOLDERS[actsBy]} was not granted it.`
    : `A ${type} application cannot hold it: use the key of a ${holdersOf(permission)} application.`;
}

const required = (permission: Permission) =>
  `The permission ${satisfying(permission).join(' or ')} is required.`;

/** Whether the caller has the permission somewhere, or one that contains it. */
export const holdsOrContains = (caller: Caller, permission: Permission): boolean =>
  satisfying(permission).some((each) => holdsSomewhere(caller, each));

/**
 * Throws `forbidden` unless the caller has the permission somewhere. The message names who could
 * have it.
 */
export function requirePermission(caller: Caller, permission: Permission): void {
  if (holdsOrContains(caller, permission)) return;
  throw new ServiceError('forbidden', `${required(permission)} ${wayOut(caller, permission)}`);
}

/** Describes rules with `through` in a message. */
function throughOnly(way: Way): string {
  if (way === 'named_by_caller')
    return 'A rule with `through` does not permit a destination that the caller names.';
  if ('reactor' in way && way.callback !== undefined)
    return 'A rule with `through` permits a `callback_url` only for the reactors in it, and only at or below an address in its `callbacks`.';
  return 'A rule with `through` permits the destinations in it alone.';
}

/** Why no rule permits the right on a token: the end of a message. */
export function reasonOf(caller: Caller, right: Right, token: TokenAttributes): string {
  return typeof right !== 'string' && refusesWay(caller, right, token)
    ? throughOnly(right.use)
    : 'No rule of the caller covers every container of the token.';
}

/**
 * Throws `forbidden` unless the caller has `token:use` somewhere, by a rule that admits this way.
 */
export function requireUse(caller: Caller, way: Way): void {
  requirePermission(caller, 'token:use');
  if (mayUseSomewhere(caller, way)) return;
  throw new ServiceError('forbidden', `${required('token:use')} ${throughOnly(way)}`);
}

/**
 * The transform under which the caller may act on the token; throws `forbidden` if no rule permits
 * it.
 */
export function requireAccess(caller: Caller, right: Right, token: TokenAttributes): Transform {
  const permission = permissionOf(right);
  requirePermission(caller, permission);
  const transform = decideAccess(caller, right, token);
  if (transform !== undefined) return transform;
  throw new ServiceError('forbidden', `${required(permission)} ${reasonOf(caller, right, token)}`);
}
