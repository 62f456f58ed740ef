import { hintOf } from '../shared/known-names.ts';
import { ExpressionError } from './expression-error.ts';

/**
 * An argument of a filter, as Liquid passes it: a value by position, or a pair of name and value.
 */
export type FilterArgument = unknown;

/**
 * Arguments by name. Positional arguments get the names in order; named ones (`mask: '*'`) have
 * their own. Throws {@link ExpressionError} for too many arguments and for unknown names.
 */
export function namedArguments(
  names: readonly string[],
  args: readonly FilterArgument[],
): ReadonlyMap<string, unknown> {
  const result = new Map<string, unknown>();
  let position = 0;
  for (const argument of args) {
    const pair: readonly unknown[] | undefined = Array.isArray(argument) ? argument : undefined;
    const named =
      pair?.length === 2 && typeof pair[0] === 'string' ? { name: pair[0], value: pair[1] } : undefined;
    const name = named?.name ?? names[position++];
    if (name === undefined) throw new ExpressionError('has a filter with too many arguments');
    if (!names.includes(name))
      throw new ExpressionError(`has a filter with an unknown argument${hintOf(name, names)}`);
    result.set(name, named === undefined ? argument : named.value);
  }
  return result;
}

const COUNT_MAX = 100_000;

/** A whole number from 0 to {@link COUNT_MAX}, which may be quoted. */
export function countArgument(value: unknown, fallback: number): number {
  if (value === undefined || value === null) return fallback;
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0 || count > COUNT_MAX) {
    throw new ExpressionError('has a filter whose argument must be a whole number');
  }
  return count;
}

/** A boolean, which may be quoted. */
export function booleanArgument(value: unknown, fallback: boolean): boolean {
  if (value === undefined || value === null) return fallback;
  const text = typeof value === 'string' ? value.toLowerCase() : value;
  if (text === true || text === 'true') return true;
  if (text === false || text === 'false') return false;
  throw new ExpressionError('has a filter whose argument must be true or false');
}

const TEXT_ARGUMENT_MAX = 100;

/** Reads a text that must be short, such as a mask. */
export function textArgument(value: unknown, fallback: string): string {
  if (value === undefined || value === null) return fallback;
  if (typeof value !== 'string' || value.length > TEXT_ARGUMENT_MAX) {
    throw new ExpressionError('has a filter whose argument must be a short text');
  }
  return value;
}
