import type { Json } from '../shared/json.ts';
import { countArgument, namedArguments, textArgument, type FilterArgument } from './arguments.ts';
import type { Budget } from './budget.ts';
import { ExpressionError } from './expression-error.ts';
import { selectJsonPath } from './select-json-path.ts';
import { textOf } from './text-of.ts';

/**
 * `json: '<JSONPath>'` (RFC 9535): returns the one value that the path selects, or `null` for none.
 * Throws for several.
 */
export function json(value: Json, path: string, budget: Budget): Json {
  return selectJsonPath(path, value, budget) ?? null;
}

/**
 * `stringify`: writes compact JSON. A text is returned unchanged, and `null` (as a missing member
 * is) stays `null`.
 */
export function stringify(value: Json): string | null {
  return value === null || typeof value === 'string' ? value : JSON.stringify(value);
}

function padding(value: Json, args: readonly FilterArgument[]): [text: string, length: number, fill: string] {
  const named = namedArguments(['length', 'fill'], args);
  return [textOf(value), countArgument(named.get('length'), 0), textArgument(named.get('fill'), ' ')];
}

/** `pad_left: length, fill`: pads the start of a text to the length, by default with spaces. */
export function padLeft(value: Json, ...args: FilterArgument[]): string {
  const [text, length, fill] = padding(value, args);
  return text.padStart(length, fill);
}

/** `pad_right: length, fill`: pads the end of a text to the length. */
export function padRight(value: Json, ...args: FilterArgument[]): string {
  const [text, length, fill] = padding(value, args);
  return text.padEnd(length, fill);
}

/** `to_string`: converts any value to text. */
export function toText(value: Json): string {
  return textOf(value);
}

// No two adjacent parts match the same digits, so matching takes linear time.
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * `to_number`: reads a text as a number. Throws for a text that is not a number, and for one that
 * is too large or too long for an exact number.
 */
export function toNumber(value: Json): Json {
  if (value === null || typeof value === 'number') return value;
  if (typeof value === 'string' && NUMBER.test(value.trim())) {
    const number = Number(value.trim());
    if (Number.isFinite(number) && (Number.isSafeInteger(number) || !Number.isInteger(number))) return number;
  }
  throw new ExpressionError('has a to_number filter on a value that is not a number');
}

/** `to_boolean`: accepts `true` and `false` in any case, and 1 and 0. */
export function toBoolean(value: Json): Json {
  if (value === null || typeof value === 'boolean') return value;
  const text = textOf(value).trim().toLowerCase();
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw new ExpressionError('has a to_boolean filter on a value that is not true or false');
}
