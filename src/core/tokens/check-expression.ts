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

/** Reports an error in a mask under the path of its text, such as `mask.holder.name`. */
export const reportInMask =
  (report: Report): HandleFailure =>
  (error, place) => {
    report(pathOf(place, 'mask'), error.message);
  };
