import { ExpressionError } from './expression-error.ts';

/** An argument that an expression writes with its name, such as `mask: '*'`. */
export class NamedArgument {
  readonly name: string;

  readonly value: unknown;

  constructor(name: string, value: unknown) {
    this.name = name;
    this.value = value;
  }
}

/** An argument of a filter: a value by position, or a {@link NamedArgument}. */
export type FilterArgument = unknown;

export const valueOf = (argument: FilterArgument): unknown =>
  argument instanceof NamedArgument ? argument.value : argument;

/** Arguments by name: those by position get the names of the filter's parameters in order. */
export function namedArguments(
  names: readonly string[],
  args: readonly FilterArgument[],
): ReadonlyMap<string, unknown> {
  let position = 0;
  return new Map(
    args.map((argument) => [
      argument instanceof NamedArgument ? argument.name : (names[position++] ?? ''),
      valueOf(argument),
    ]),
  );
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
