import type { Json } from '../shared/json.ts';

/**
 * How a value reads inside text: `null` is empty, objects and arrays are compact JSON, text is
 * itself.
 */
export function textOf(value: Json): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
