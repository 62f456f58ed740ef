import { isJsonObject, type Json } from '../shared/json.ts';

/** How a value reads inside text: `null` is empty, objects and arrays are compact JSON, text is itself. */
export function textOf(value: Json): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) || isJsonObject(value)) return JSON.stringify(value);
  return String(value);
}
