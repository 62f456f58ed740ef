import { isJsonObject, withElements, withMembers, type Json } from '../shared/json.ts';
import { normalized } from '../shared/known-names.ts';

/** The member that no record may contain after its short lifetime, whatever object it is in. */
export const CVC_MEMBER = 'cvc';

/** Whether a member is a cvc, by its name and value. */
type IsCvc = (name: string, member: Json) => boolean;

/**
 * Removes every member that `isCvc` matches from a JSON value, at any depth. By default these are
 * those named `cvc`.
 */
export function withoutAnyCvc(value: Json, isCvc: IsCvc = (name) => name === CVC_MEMBER): Json {
  const without = (member: Json): Json => withoutAnyCvc(member, isCvc);
  if (Array.isArray(value)) return withElements(value as readonly Json[], without);
  if (!isJsonObject(value)) return value;
  const own = Object.keys(value);
  const rest = own.filter((name) => !isCvc(name, value[name] ?? null));
  return withMembers(value, without, own, rest.length === own.length ? own : rest);
}

/** The usual names of a cvc in other services, normalized. */
const CVC_NAME =
  /^(?:(?:card)?(?:(?:cvc|cvv|cvn)2?(?:code|number|value)?|securitycode)|cardverification(?:code|number|value))$/;

/**
 * Whether a member may be a cvc under any of its usual names, in any spelling. Its value may have
 * only one or two digits, since a number has lost its leading zeros.
 */
export const mayBeCvc: IsCvc = (name, value) =>
  (typeof value === 'string' || typeof value === 'number') &&
  /^\d{1,4}$/.test(String(value)) &&
  CVC_NAME.test(normalized(name));
