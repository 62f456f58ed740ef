import type { Budget } from './budget.ts';
import { ExpressionError } from './expression-error.ts';
import { liquidExpression } from './liquid-expression.ts';
import { parsedOnce } from './parsed-once.ts';
import { plainExpression } from './plain-expression.ts';
import type { Expression } from './result.ts';

/**
 * Most filters in an expression. The language has no loops, so this bounds the depth of evaluation.
 */
const FILTERS_MAX = 30;

/**
 * Steps that a failure costs: an error with its text, and the errors that Liquid wraps around it.
 */
export const FAILURE = 60_000;
/** Steps that a failed parse costs, for each character of the source. */
const FAILED_PARSE = 150;

/**
 * Whether the error says that a library could not be loaded on first use (tools/assets/bundle.ts).
 */
const isOfLoading = (error: unknown): boolean =>
  error instanceof Error && ('requireStack' in error || 'syscall' in error);

/**
 * Passes on messages of our own filters. Messages of libraries may quote values, so they are
 * replaced. A failure to load a library is not the fault of the expression.
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
 * Parses the source inside `{{ }}`. Throws {@link ExpressionError}, also for an unknown filter. A
 * cached expression is charged too, so that the cache does not decide which expressions pass.
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
