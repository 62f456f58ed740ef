import { isJsonObject, withElements, withMembers, type Json } from './json.ts';

/** The member that no record may contain after its short lifetime, whatever object it is in. */
export const CVC_MEMBER = 'cvc';

/**
 * A JSON value without members named `cvc` at any depth: without all of them, or only those with a
 * value that `isCvc` matches.
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
 * Whether a value can be a cvc. It may have only one or two digits, since a number has lost its
 * leading zeros.
 */
export function canBeCvc(value: Json): boolean {
  return (typeof value === 'string' || typeof value === 'number') && /^\d{1,4}$/.test(String(value));
}
