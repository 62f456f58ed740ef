import { isJsonObject, jsonObject, type Json } from './json.ts';

/** A JSON value without anything that is called a cvc, wherever it stands. */
export function withoutAnyCvc(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutAnyCvc);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([name]) => name !== 'cvc');
  return jsonObject(entries.map(([name, member]) => [name, withoutAnyCvc(member)] as const));
}
