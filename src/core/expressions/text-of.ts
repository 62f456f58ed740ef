import type { Json } from '../shared/json.ts';

/**
 * The text that a value becomes: empty for `null`, compact JSON for objects and arrays. A text does
 * not change.
 */
export function textOf(value: Json): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
