import type { Budget } from './budget.ts';
import { ExpressionError } from './expression-error.ts';
import { liquidExpression } from './liquid-expression.ts';
import { parsedOnce } from './parsed-once.ts';
import { plainExpression } from './plain-expression.ts';
import type { Expression } from './result.ts';

/** Filters in a row; with no loops in the language this bounds the depth of an evaluation. */
const FILTERS_MAX = 30;

/** Steps of what fails: an error, and those that Liquid makes of it. */
const FAILURE = 60_000;
/** The same for each character of what cannot be parsed. */
const FAILED_PARSE = 150;

/** Whether a library could not be loaded when it was first needed (lib/bundle.ts). */
const isOfLoading = (error: unknown): boolean =>
  error instanceof Error && ('requireStack' in error || 'syscall' in error);

/**
 * Own filters say what is wrong with them; messages of libraries may quote values, so they are not
 * passed on. That one is not there is no fault of the expression.
 */
const failure = (error: unknown): unknown =>
  error instanceof ExpressionError || isOfLoading(error)
    ? error
    : new ExpressionError('has a filter that fails on this value');

function compile(source: string): Expression {
  const expression = plainExpression(source) ?? liquidExpression(source);
  if (expression.filters.length > FILTERS_MAX)
    throw new ExpressionError(`has more than ${String(FILTERS_MAX)} filters`);
  return {
    ...expression,
    evaluate(bindings, budget) {
      try {
        return expression.evaluate(bindings, budget);
      } catch (error) {
        budget.charge(FAILURE);
        throw failure(error);
      }
    },
  };
}

const compiled = parsedOnce(compile);

/**
 * Parses the inside of `{{ }}`: a value, then filters. Throws {@link ExpressionError} for a syntax
 * error or an unknown filter. Short expressions are parsed once and cached; they cost the same each
 * time, so that no cache decides what passes.
 */
export function parseExpression(source: string, budget: Budget): Expression {
  try {
    const expression = compiled(source);
    budget.charge(expression.parsing);
    return expression;
  } catch (error) {
    budget.charge(FAILURE + source.length * FAILED_PARSE);
    throw error;
  }
}
