import type { Json } from '../shared/json.ts';

/**
 * The text form of a value: empty for `null`, compact JSON for objects and arrays, a text itself.
 */
export function textOf(value: Json): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
