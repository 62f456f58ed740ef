import type { Budget } from '../expressions/budget.ts';
import { ExpressionError } from '../expressions/expression-error.ts';
import { renderTemplate } from '../expressions/render.ts';
import { chargedTextOf } from '../expressions/weight.ts';
import type { Report } from '../shared/field-reporter.ts';
import type { Json } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';
import { CVC_MEMBER } from './without-cvc.ts';
import type { IndexTerm } from './index-term.ts';

/**
 * An index that reads a cvc is skipped, because the cvc must not survive in an index
 * (docs/contract.md#the-cvc).
 */
const READS_CVC = new RegExp(`\\b${CVC_MEMBER}\\b`, 'i');

function evaluate(
  expression: string,
  data: Secret<Json>,
  path: string,
  report: Report,
  budget: Budget,
): string | undefined {
  try {
    return chargedTextOf(renderTemplate(expression, { data: data.reveal() }, budget), budget);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    report(path, error.message);
    return undefined;
  }
}

/**
 * The terms of a token's search indexes, without duplicates. Reports an index that evaluates to
 * nothing, unless it is a default of the type.
 */
export function evaluateIndexes(
  expressions: readonly string[] | undefined,
  defaults: readonly string[],
  data: Secret<Json>,
  report: Report,
  budget: Budget,
): readonly IndexTerm[] {
  const values = new Set<string>();
  (expressions ?? defaults).forEach((expression, index) => {
    if (READS_CVC.test(expression)) return;
    const path = `search_indexes[${String(index)}]`;
    const value = evaluate(expression, data, path, report, budget);
    if (value !== undefined && value !== '') values.add(value);
    else if (value === '' && expressions !== undefined) report(path, 'evaluates to nothing');
  });
  return [...values].map((value) => ({ kind: 'data', value }));
}
