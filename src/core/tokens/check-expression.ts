import { BudgetError } from '../expressions/budget.ts';
import { ExpressionError } from '../expressions/expression-error.ts';
import type { HandleFailure } from '../expressions/render.ts';
import type { Report } from '../shared/field-reporter.ts';
import { pathOf } from '../shared/member-path.ts';

/** Runs a check of an expression and reports its `ExpressionError` under `path`. */
export function checkExpression(path: string, report: Report, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    report(path, error.message);
  }
}

/** The problem of an expression that another request set, and perhaps another caller. */
export const FAILS_AS_STORED = 'is stored, and fails on the data';

/** Does the same for an expression that another request set, and names no reason but the budget. */
export function checkStored(path: string, report: Report, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    report(path, error instanceof BudgetError ? error.message : FAILS_AS_STORED);
  }
}

/** Reports an error in a mask under the path of its text, such as `mask.holder.name`. */
export const reportInMask =
  (report: Report): HandleFailure =>
  (error, place) => {
    report(pathOf(place, 'mask'), error.message);
  };
