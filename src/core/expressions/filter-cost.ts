import type { FilterArgument } from './arguments.ts';
import type { Budget } from './budget.ts';
import { weigh } from './weight.ts';

export type More = (value: unknown, given: readonly FilterArgument[]) => number;

/**
 * What a filter costs, in steps; `npm run bench -- expressions` finds the inputs for which a step
 * takes longest.
 */
export interface Cost {
  /** For each character, element and member of its value and arguments. */
  readonly each: number;
  /** What it costs beyond that. */
  readonly more?: More;
}

/** Looks at a value and not into it. */
export const SHALLOW: Cost = { each: 0 };

/** Steps of any filter: its call, and what it reads of a few arguments. */
const CALL = 300;

export const lengthOf = (value: unknown): number =>
  typeof value === 'string' || Array.isArray(value) ? value.length : 0;

/**
 * Length of the longest text among the arguments, at least 1; a named one is a pair of name and
 * value.
 */
export const longest = (given: readonly FilterArgument[]): number =>
  given.reduce<number>((length, argument) => {
    const text: unknown = Array.isArray(argument) && argument.length === 2 ? argument[1] : argument;
    return typeof text === 'string' ? Math.max(length, text.length) : length;
  }, 1);

/** Length of the text that Liquid makes of a value, or more. */
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
  given: readonly FilterArgument[],
): void {
  budget.charge(CALL);
  if (each > 0) for (const part of [value, ...given]) weigh(part, each, budget);
  if (more !== undefined) budget.charge(Math.ceil(more(value, given)));
}
