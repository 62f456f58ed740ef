import { isJsonObject, withElements, withMembers, type Json } from './json.ts';

/** The member that no record may hold beyond its own short life, whatever it is a member of. */
export const CVC_MEMBER = 'cvc';

/**
 * A JSON value without members named `cvc`, wherever they stand: all of them, or those whose value
 * `isCvc`.
 */
export function withoutAnyCvc(value: Json, isCvc: (member: Json) => boolean = () => true): Json {
  const without = (member: Json): Json => withoutAnyCvc(member, isCvc);
  if (Array.isArray(value)) return withElements(value as readonly Json[], without);
  if (!isJsonObject(value)) return value;
  const own = Object.keys(value);
  const hasCvc = Object.hasOwn(value, CVC_MEMBER) && isCvc(value[CVC_MEMBER] ?? null);
  return withMembers(value, without, own, hasCvc ? own.filter((name) => name !== CVC_MEMBER) : own);
}

/**
 * Whether a value can be a cvc. Of one to four digits: a number has lost the leading zeros of its
 * three or four.
 */
export function canBeCvc(value: Json): boolean {
  return (typeof value === 'string' || typeof value === 'number') && /^\d{1,4}$/.test(String(value));
}
