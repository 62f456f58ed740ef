import { valueOf, type FilterArgument } from './arguments.ts';
import type { Budget } from './budget.ts';
import { weigh } from './weight.ts';

export type More = (value: unknown, args: readonly FilterArgument[]) => number;

/**
 * The cost of a filter in steps; `npm run bench -- expressions` finds the inputs with the slowest
 * steps.
 */
export interface Cost {
  /** Steps for each character, element and member of its value and arguments. */
  readonly each: number;
  readonly more?: More;
}

/** The cost of a filter that does not look into its value. */
export const SHALLOW: Cost = { each: 0 };

/** Steps that every filter costs: its call, and reading a few arguments. */
const CALL = 300;

export const lengthOf = (value: unknown): number =>
  typeof value === 'string' || Array.isArray(value) ? value.length : 0;

/**
 * Length of the longest text among the arguments, at least 1.
 */
export const longest = (args: readonly FilterArgument[]): number =>
  args.reduce<number>((length, argument) => {
    const text = valueOf(argument);
    return typeof text === 'string' ? Math.max(length, text.length) : length;
  }, 1);

/** An upper bound for the length of the text that Liquid makes of a value. */
export function textLength(value: unknown): number {
  if (Array.isArray(value))
    return (value as readonly unknown[]).reduce<number>((sum, each) => sum + textLength(each), 20);
  return typeof value === 'string' ? value.length : 20;
}

/** Charges for a filter before it runs. */
export function charge(
  budget: Budget,
  { each, more }: Cost,
  value: unknown,
  args: readonly FilterArgument[],
): void {
  budget.charge(CALL);
  if (each > 0) for (const part of [value, ...args.map(valueOf)]) weigh(part, each, budget);
  if (more !== undefined) budget.charge(Math.ceil(more(value, args)));
}
