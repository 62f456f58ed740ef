import { FieldReporter } from '../shared/field-reporter.ts';
import { createBudget } from './budget.ts';

/**
 * The errors in the templates of one request, member by member, and the budget for parsing and
 * filling the templates.
 */
export class TemplateFields extends FieldReporter {
  readonly budget = createBudget();
}
