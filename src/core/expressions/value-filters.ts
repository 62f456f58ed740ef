import type { Json } from '../shared/json.ts';
import { countArgument, namedArguments, textArgument, type FilterArgument } from './arguments.ts';
import type { Budget } from './budget.ts';
import { ExpressionError } from './expression-error.ts';
import { selectOne } from './json-path.ts';
import { textOf } from './text-of.ts';

/**
 * `json: '<JSONPath>'` (RFC 9535): the one value that the path selects; `null` for none; several
 * are an error.
 */
export function json(value: Json, path: unknown, budget: Budget): Json {
  if (typeof path !== 'string') throw new ExpressionError('has a json filter without a path');
  if (typeof value !== 'object' || value === null) return null;
  return selectOne(path, value, budget) ?? null;
}

/**
 * `stringify`: compact JSON; text is itself, and `null`, which a missing member is, stays `null`.
 */
export function stringify(value: Json): string | null {
  return value === null || typeof value === 'string' ? value : JSON.stringify(value);
}

const PAD_MAX_LENGTH = 10_000;

function padding(
  value: Json,
  given: readonly FilterArgument[],
): [text: string, length: number, fill: string] {
  const named = namedArguments(['length', 'fill'], given);
  const length = countArgument(named.get('length'), 0);
  if (length > PAD_MAX_LENGTH) throw new ExpressionError('has a filter that pads to too great a length');
  return [textOf(value), length, textArgument(named.get('fill'), ' ')];
}

/**
 * `pad_left: length, fill`: fills up to the length at the start, with spaces unless told otherwise.
 */
export function padLeft(value: Json, ...given: FilterArgument[]): string {
  const [text, length, fill] = padding(value, given);
  return text.padStart(length, fill);
}

/** `pad_right: length, fill`: fills up to the length at the end. */
export function padRight(value: Json, ...given: FilterArgument[]): string {
  const [text, length, fill] = padding(value, given);
  return text.padEnd(length, fill);
}

/** `to_string`: the value as it reads inside text. */
export function toText(value: Json): string {
  return textOf(value);
}

// No two parts in a row can take the same digits: matching takes no longer than the text.
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * `to_number`: the number that a text spells. What is not a number, or too large or too long to be
 * one exactly, is an error.
 */
export function toNumber(value: Json): Json {
  if (value === null || typeof value === 'number') return value;
  if (typeof value === 'string' && NUMBER.test(value.trim())) {
    const number = Number(value.trim());
    if (Number.isFinite(number) && (Number.isSafeInteger(number) || !Number.isInteger(number))) return number;
  }
  throw new ExpressionError('has a to_number filter on a value that is not a number');
}

/** `to_boolean`: `true` or `false` in any case, and 1 or 0. */
export function toBoolean(value: Json): Json {
  if (value === null || typeof value === 'boolean') return value;
  const text = textOf(value).trim().toLowerCase();
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw new ExpressionError('has a to_boolean filter on a value that is not true or false');
}
