import { isJsonObject, jsonObject, type Json } from './json.ts';

/** A JSON value without members named `cvc`, wherever they stand: all of them, or those whose value `isCvc`. */
export function withoutAnyCvc(value: Json, isCvc: (member: Json) => boolean = () => true): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((element) => withoutAnyCvc(element, isCvc));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([name, member]) => name !== 'cvc' || !isCvc(member));
  return jsonObject(entries.map(([name, member]) => [name, withoutAnyCvc(member, isCvc)] as const));
}

/** Whether a value can be a cvc. Of one to four digits: a number has lost the leading zeros of its three or four. */
export function canBeCvc(value: Json): boolean {
  return (typeof value === 'string' || typeof value === 'number') && /^\d{1,4}$/.test(String(value));
}
